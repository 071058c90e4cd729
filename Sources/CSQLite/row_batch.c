#include "row_batch.h"

#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

// An eponymous virtual table (https://sqlite.org/vtab.html#eponymous_only_virtual_tables), whose hidden column `batch` is the
// function's argument, and a function. SQLite calls both for each value of each row, so that neither allocates anything.
//
// Memory is safe as long as the caller's arrays are as long as `rows`, `columns`, `count` and the counts of bytes say: all
// numbers that come from cells, from `order` and from SQL are checked against these.

enum { NUMBER_COLUMN, PK_COLUMN, PLACEHOLDER_COLUMN, FIRST_CELL_COLUMN };
enum { BATCH_COLUMN = FIRST_CELL_COLUMN + ENTITY_BATCH_COLUMNS };
enum { BATCH_ARGUMENT, NUMBER_ARGUMENT, PK_ARGUMENT, EDITED_ARGUMENT, PLACEHOLDER_ARGUMENT, FIRST_VALUE_ARGUMENT };

/// The type of the pointers to batches. No SQL can make a pointer (https://sqlite.org/bindptr.html).
static const char pointer_type[] = "entity_row_batch";

/// The first byte of a text or a blob, or NULL where the batch lacks the bytes.
static inline const uint8_t *cell_bytes(const entity_row_batch *batch, const entity_cell *cell) {
  bool is_source = cell->kind == ENTITY_CELL_SOURCE_TEXT;
  uint64_t count = is_source ? batch->source_count : batch->arena_count;
  uint64_t place = (uint64_t)cell->bits;
  if (place > count || cell->length > count - place) return NULL;
  // For SQLite a text without a pointer is NULL.
  if (cell->length == 0) return (const uint8_t *)"";
  return (is_source ? batch->source : batch->arena) + place;
}

static inline double cell_real(const entity_cell *cell) {
  double real;
  memcpy(&real, &cell->bits, sizeof real);
  return real;
}

/// Ends the statement with a message.
static void refuse(sqlite3_context *context, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char *message = sqlite3_vmprintf(format, arguments);
  va_end(arguments);
  if (message) {
    sqlite3_result_error(context, message, -1);
  } else {
    sqlite3_result_error_nomem(context);
  }
  sqlite3_free(message);
}

static void refuse_cell(sqlite3_context *context, size_t row, int column) {
  refuse(context, "c%d of row %lld of a batch has no such kind, or bytes that the batch lacks", column, (sqlite3_int64)row);
}

// The table

typedef struct {
  sqlite3_vtab_cursor base;
  const entity_row_batch *batch;
  /// The present place in `order`.
  size_t place;
  /// The row of this place, and its cells.
  size_t row;
  const entity_cell *cells;
} batch_cursor;

static int vt_connect(sqlite3 *db, void *aux, int argc, const char *const *argv, sqlite3_vtab **out, char **error) {
  (void)aux, (void)argc, (void)argv, (void)error;
  sqlite3_str *sql = sqlite3_str_new(db);
  sqlite3_str_appendall(sql, "CREATE TABLE x(n, pk, placeholder");
  for (int i = 0; i < ENTITY_BATCH_COLUMNS; i++) sqlite3_str_appendf(sql, ", c%d", i);
  sqlite3_str_appendall(sql, ", batch HIDDEN)");
  char *declaration = sqlite3_str_finish(sql);
  if (!declaration) return SQLITE_NOMEM;
  int rc = sqlite3_declare_vtab(db, declaration);
  sqlite3_free(declaration);
  if (rc != SQLITE_OK) return rc;
  sqlite3_vtab_config(db, SQLITE_VTAB_DIRECTONLY);
  sqlite3_vtab *table = sqlite3_malloc64(sizeof *table);
  if (!table) return SQLITE_NOMEM;
  memset(table, 0, sizeof *table);
  *out = table;
  return SQLITE_OK;
}

static int vt_disconnect(sqlite3_vtab *table) {
  sqlite3_free(table);
  return SQLITE_OK;
}

static int vt_best_index(sqlite3_vtab *table, sqlite3_index_info *info) {
  (void)table;
  for (int i = 0; i < info->nConstraint; i++) {
    const struct sqlite3_index_constraint *constraint = &info->aConstraint[i];
    if (constraint->iColumn != BATCH_COLUMN || constraint->op != SQLITE_INDEX_CONSTRAINT_EQ) continue;
    // The argument comes from a table that is not read yet: another order is needed.
    if (!constraint->usable) return SQLITE_CONSTRAINT;
    info->aConstraintUsage[i].argvIndex = 1;
    info->aConstraintUsage[i].omit = 1;
    // Much to read again and few rows: the outer loop, in which the other table is found by an index, is the cheaper plan
    // even where SQLite has counted few rows in the other.
    info->estimatedCost = 1e6;
    info->estimatedRows = 2;
    return SQLITE_OK;
  }
  return SQLITE_CONSTRAINT;
}

static int vt_open(sqlite3_vtab *table, sqlite3_vtab_cursor **out) {
  (void)table;
  batch_cursor *cursor = sqlite3_malloc64(sizeof *cursor);
  if (!cursor) return SQLITE_NOMEM;
  memset(cursor, 0, sizeof *cursor);
  *out = &cursor->base;
  return SQLITE_OK;
}

static int vt_close(sqlite3_vtab_cursor *base) {
  sqlite3_free(base);
  return SQLITE_OK;
}

static int fail(batch_cursor *cursor, char *message) {
  sqlite3_free(cursor->base.pVtab->zErrMsg);
  cursor->base.pVtab->zErrMsg = message;
  // The end, should anything be read regardless.
  cursor->batch = NULL;
  return message ? SQLITE_ERROR : SQLITE_NOMEM;
}

/// Finds the row at the present place.
static inline int find_row(batch_cursor *cursor) {
  const entity_row_batch *batch = cursor->batch;
  if (cursor->place >= batch->count) return SQLITE_OK;
  size_t row = batch->order[cursor->place];
  if (row >= batch->rows) {
    return fail(cursor, sqlite3_mprintf("a batch has no row %lld", (sqlite3_int64)row));
  }
  cursor->row = row;
  cursor->cells = batch->cells + row * batch->columns;
  return SQLITE_OK;
}

static int vt_filter(sqlite3_vtab_cursor *base, int number, const char *name, int argc, sqlite3_value **argv) {
  (void)number, (void)name;
  batch_cursor *cursor = (batch_cursor *)base;
  cursor->batch = argc > 0 ? sqlite3_value_pointer(argv[0], pointer_type) : NULL;
  if (!cursor->batch) return fail(cursor, sqlite3_mprintf("not a batch of rows"));
  cursor->place = 0;
  return find_row(cursor);
}

static int vt_next(sqlite3_vtab_cursor *base) {
  batch_cursor *cursor = (batch_cursor *)base;
  cursor->place++;
  return find_row(cursor);
}

static int vt_eof(sqlite3_vtab_cursor *base) {
  const batch_cursor *cursor = (const batch_cursor *)base;
  return !cursor->batch || cursor->place >= cursor->batch->count;
}

static int vt_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int number) {
  const batch_cursor *cursor = (const batch_cursor *)base;
  const entity_row_batch *batch = cursor->batch;
  switch (number) {
  case NUMBER_COLUMN:
    sqlite3_result_int64(context, (sqlite3_int64)cursor->row);
    return SQLITE_OK;
  case PK_COLUMN:
    sqlite3_result_int64(context, batch->pks[cursor->row]);
    return SQLITE_OK;
  case PLACEHOLDER_COLUMN:
    sqlite3_result_int(context, (batch->states[cursor->row] & ENTITY_ROW_PLACEHOLDER) != 0);
    return SQLITE_OK;
  case BATCH_COLUMN:
    return SQLITE_OK;
  }
  int column = number - FIRST_CELL_COLUMN;
  if ((size_t)column >= batch->columns) {
    refuse(context, "a batch has no column c%d", column);
    return SQLITE_ERROR;
  }
  const entity_cell *cell = &cursor->cells[column];
  switch (cell->kind) {
  case ENTITY_CELL_ABSENT:
  case ENTITY_CELL_NULL:
  case ENTITY_CELL_OPEN:
    return SQLITE_OK;
  case ENTITY_CELL_INTEGER:
    sqlite3_result_int64(context, cell->bits);
    return SQLITE_OK;
  case ENTITY_CELL_REAL:
    sqlite3_result_double(context, cell_real(cell));
    return SQLITE_OK;
  case ENTITY_CELL_SOURCE_TEXT:
  case ENTITY_CELL_TEXT:
  case ENTITY_CELL_BLOB: {
    const uint8_t *bytes = cell_bytes(batch, cell);
    if (!bytes) break;
    if (cell->kind == ENTITY_CELL_BLOB) {
      sqlite3_result_blob64(context, bytes, cell->length, SQLITE_STATIC);
    } else {
      sqlite3_result_text64(context, (const char *)bytes, cell->length, SQLITE_STATIC, SQLITE_UTF8);
    }
    return SQLITE_OK;
  }
  }
  refuse_cell(context, cursor->row, column);
  return SQLITE_ERROR;
}

static int vt_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *row) {
  *row = (sqlite3_int64)((const batch_cursor *)base)->place;
  return SQLITE_OK;
}

// The function

typedef enum { SAME, OTHER, BROKEN, NO_MEMORY } comparison;

/// Whether a cell that is there says the same as a value of the table.
static inline comparison compare(const entity_row_batch *batch, const entity_cell *cell, sqlite3_value *value) {
  int type = sqlite3_value_type(value);
  switch (cell->kind) {
  case ENTITY_CELL_NULL:
    return type == SQLITE_NULL ? SAME : OTHER;
  case ENTITY_CELL_INTEGER:
    return type == SQLITE_INTEGER && sqlite3_value_int64(value) == cell->bits ? SAME : OTHER;
  case ENTITY_CELL_REAL: {
    if (type != SQLITE_FLOAT) return OTHER;
    double real = sqlite3_value_double(value);
    return memcmp(&real, &cell->bits, sizeof real) == 0 ? SAME : OTHER;
  }
  case ENTITY_CELL_SOURCE_TEXT:
  case ENTITY_CELL_TEXT:
  case ENTITY_CELL_BLOB: {
    const uint8_t *bytes = cell_bytes(batch, cell);
    if (!bytes) return BROKEN;
    if (type != (cell->kind == ENTITY_CELL_BLOB ? SQLITE_BLOB : SQLITE_TEXT)) return OTHER;
    // The bytes of a text are asked for as those of a blob, too: a text would be copied, to end with a zero.
    if ((uint32_t)sqlite3_value_bytes(value) != cell->length) return OTHER;
    if (cell->length == 0) return SAME;
    const void *stored = sqlite3_value_blob(value);
    if (!stored) return NO_MEMORY;
    return memcmp(stored, bytes, cell->length) == 0 ? SAME : OTHER;
  }
  default:
    return BROKEN;
  }
}

static void take(sqlite3_context *context, int argc, sqlite3_value **argv) {
  entity_row_batch *batch = argc < FIRST_VALUE_ARGUMENT ? NULL : sqlite3_value_pointer(argv[BATCH_ARGUMENT], pointer_type);
  if (!batch) {
    refuse(context, "not a batch of rows");
    return;
  }
  size_t columns = batch->columns;
  if ((size_t)(argc - FIRST_VALUE_ARGUMENT) != columns) {
    refuse(context, "%d values for a batch of %lld columns", argc - FIRST_VALUE_ARGUMENT, (sqlite3_int64)columns);
    return;
  }
  sqlite3_int64 number = sqlite3_value_int64(argv[NUMBER_ARGUMENT]);
  if (sqlite3_value_type(argv[NUMBER_ARGUMENT]) != SQLITE_INTEGER || (uint64_t)number >= batch->rows) {
    refuse(context, "a batch has no row %lld", number);
    return;
  }
  // A left join has no row id where the table has no row.
  if (sqlite3_value_type(argv[PK_ARGUMENT]) != SQLITE_INTEGER) {
    refuse(context, "a row without a row id");
    return;
  }

  size_t row = (size_t)number;
  const entity_cell *cells = batch->cells + row * columns;
  sqlite3_value **values = argv + FIRST_VALUE_ARGUMENT;
  for (size_t word = 0; word < 2; word++) {
    uint64_t differing = 0;
    for (uint64_t left = batch->compared[word]; left != 0; left &= left - 1) {
      size_t column = word * 64 + (size_t)__builtin_ctzll(left);
      if (column >= columns) break;
      const entity_cell *cell = &cells[column];
      if (cell->kind == ENTITY_CELL_ABSENT || cell->kind == ENTITY_CELL_OPEN) continue;
      switch (compare(batch, cell, values[column])) {
      case SAME:
        break;
      case OTHER:
        differing |= left & -left;
        break;
      case BROKEN:
        refuse_cell(context, row, (int)column);
        return;
      case NO_MEMORY:
        sqlite3_result_error_nomem(context);
        return;
      }
    }
    batch->differing[row * 2 + word] = differing;
    for (uint64_t left = batch->linking[word]; left != 0; left &= left - 1) {
      size_t column = word * 64 + (size_t)__builtin_ctzll(left);
      if (column >= columns) break;
      batch->links[row * columns + column] = sqlite3_value_int64(values[column]);
    }
  }
  batch->pks[row] = sqlite3_value_int64(argv[PK_ARGUMENT]);
  batch->states[row] = (uint8_t)(ENTITY_ROW_FOUND
      | (sqlite3_value_type(argv[EDITED_ARGUMENT]) != SQLITE_NULL ? ENTITY_ROW_EDITED : 0)
      | (sqlite3_value_int64(argv[PLACEHOLDER_ARGUMENT]) != 0 ? ENTITY_ROW_PLACEHOLDER : 0));
}

int entity_row_batch_register(sqlite3 *db) {
  static const sqlite3_module module = {
      .xConnect = vt_connect,
      .xBestIndex = vt_best_index,
      .xDisconnect = vt_disconnect,
      .xOpen = vt_open,
      .xClose = vt_close,
      .xFilter = vt_filter,
      .xNext = vt_next,
      .xEof = vt_eof,
      .xColumn = vt_column,
      .xRowid = vt_rowid,
  };
  int rc = sqlite3_create_module_v2(db, "_entity_batch", &module, NULL, NULL);
  if (rc != SQLITE_OK) return rc;
  return sqlite3_create_function_v2(db, "_entity_take", -1, SQLITE_UTF8 | SQLITE_DIRECTONLY, NULL, take, NULL, NULL, NULL);
}

int entity_row_batch_bind(sqlite3_stmt *statement, int index, entity_row_batch *batch) {
  return sqlite3_bind_pointer(statement, index, batch, pointer_type, NULL);
}
