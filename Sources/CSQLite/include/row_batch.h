#ifndef ENTITY_ROW_BATCH_H
#define ENTITY_ROW_BATCH_H

#include <sqlite3.h>
#include <stddef.h>
#include <stdint.h>

/// A value of a row that goes to SQLite with others, or the lack of one.
///
/// An integer is in `bits`, and a real has its pattern there. Of a text and a blob `bits` is the place of the first byte, and
/// `length` the number of bytes.
typedef struct {
  uint32_t kind;
  uint32_t length;
  int64_t bits;
} entity_cell;

/// The row says nothing of the column: it is not compared, and read as NULL.
#define ENTITY_CELL_ABSENT 0
#define ENTITY_CELL_NULL 1
#define ENTITY_CELL_INTEGER 2
/// NaN is NULL for SQLite, and -0.0 is 0.0 in a column of reals: a cell with either would differ from its own row.
#define ENTITY_CELL_REAL 3
/// A text among the bytes `source`.
#define ENTITY_CELL_SOURCE_TEXT 4
/// A text or a blob among the bytes `arena`.
#define ENTITY_CELL_TEXT 5
#define ENTITY_CELL_BLOB 6
/// A value that is not known yet: it is not compared, and read as NULL.
#define ENTITY_CELL_OPEN 7

/// The most columns of a batch: an SQL function takes 127 arguments.
#define ENTITY_BATCH_COLUMNS 120

/// What `_entity_take` says of a row: that the table has it, that it has marks of local edits, and that it is a placeholder.
#define ENTITY_ROW_FOUND 1
#define ENTITY_ROW_EDITED 2
#define ENTITY_ROW_PLACEHOLDER 4

/// Rows of one table that go to SQLite together. The caller owns all of its memory, and keeps it unchanged while a statement
/// runs that the batch is bound to. The arrays are as long as the counts say; no other number is trusted: a row, a column or
/// a place of bytes that the batch lacks ends the statement with SQLITE_ERROR and a message.
typedef struct {
  /// `rows` times `columns` cells, row by row.
  const entity_cell *cells;
  size_t rows;
  size_t columns;
  /// The bytes that cells refer to.
  const uint8_t *source;
  size_t source_count;
  const uint8_t *arena;
  size_t arena_count;
  /// The columns that are compared, and those whose values are noted in `links`: bit i of word i / 64.
  uint64_t compared[2];
  uint64_t linking[2];
  /// For each row its row id: read by the column `pk`, set by `_entity_take`.
  int64_t *pks;
  /// For each row ENTITY_ROW_*: its placeholder bit is read by the column `placeholder`, all are set by `_entity_take`.
  uint8_t *states;
  /// For each row two words, set by `_entity_take`: the columns whose cells say otherwise than the table.
  uint64_t *differing;
  /// For each cell the integer that the table has in a column of `linking`, 0 for NULL; set by `_entity_take`.
  int64_t *links;
  /// The rows that are read, by their numbers, in this order.
  const uint32_t *order;
  size_t count;
} entity_row_batch;

/// Registers two names on a connection; SQL of a schema (views, triggers) can use neither.
///
/// `_entity_batch(batch)` is a table-valued function with the columns `n` (the number of the row in the batch), `pk`,
/// `placeholder` (0 or 1) and `c0` to `c119`, whose rows are those that `order` names. A text and a blob are read without a
/// copy: their bytes must stay until the statement has ended.
///
/// `_entity_take(batch, n, pk, edited, placeholder, value...)` compares a row of a table, of which the values are one for each
/// column of the batch, with the row `n` of the batch, and notes the result in the batch. It returns NULL: as the condition of
/// a SELECT it has one step find all rows. Equal is what SQLite stores as the same: of one type, integers and the bytes of
/// texts and blobs equal, reals with the same bits.
///
/// Both take the batch from a parameter that `entity_row_batch_bind` has bound; without one the statement ends with an error.
/// Returns SQLITE_OK or SQLite's error code.
int entity_row_batch_register(sqlite3 *db);

/// Binds a batch to a parameter. It stays bound until another value is.
/// Returns SQLITE_OK or SQLite's error code.
int entity_row_batch_bind(sqlite3_stmt *statement, int index, entity_row_batch *batch);

#endif
