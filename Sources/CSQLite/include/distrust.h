#ifndef ENTITY_DISTRUST_H
#define ENTITY_DISTRUST_H

#include <sqlite3.h>

/// Has a connection trust nothing in its file, for a file that anybody may have made
/// (https://sqlite.org/security.html): the schema calls no function with an effect, triggers and views do not run, and no
/// statement changes the schema's own table or the file's pages. Generated columns do run, and so do the expressions of CHECK
/// in a check of the file.
///
/// Returns SQLITE_OK or SQLite's error code.
int entity_distrust(sqlite3 *db);

#endif
