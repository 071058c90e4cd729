#ifndef ENTITY_VALUE_LIST_H
#define ENTITY_VALUE_LIST_H

#include <sqlite3.h>

/// The type that an item of a list begins with: one byte. The value follows, in the machine's byte order and not
/// aligned.
///
/// An integer and a real have 8 bytes; a text and a blob have an unsigned length of 8 bytes, and then so many bytes.
#define ENTITY_ITEM_INTEGER 1
#define ENTITY_ITEM_REAL 2
#define ENTITY_ITEM_TEXT 3
#define ENTITY_ITEM_BLOB 4

/// Registers the table-valued function `_entity_values(list)` on a connection. `list` is a blob of items; each is a row, with
/// its value in the column `value`. Any number of values is one parameter so, and each is of its own type.
///
/// SQL of a schema (views, triggers) can't name it.
/// Returns SQLITE_OK or SQLite's error code.
int entity_value_list_register(sqlite3 *db);

/// Has SQLite refuse a quoted name that no column has. By default it takes the name for a text
/// (https://sqlite.org/quirks.html#dblquote).
///
/// Returns SQLITE_OK or SQLite's error code.
int entity_refuse_quoted_texts(sqlite3 *db);

#endif
