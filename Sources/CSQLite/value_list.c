#include "value_list.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

// An eponymous virtual table (https://sqlite.org/vtab.html#eponymous_only_virtual_tables) with the columns `value` and the
// hidden `list`, which is the function's argument.

enum { VALUE_COLUMN, LIST_COLUMN };

typedef struct {
  sqlite3_vtab_cursor base;
  /// Our own copy of the argument; NULL until there is one.
  sqlite3_value *list;
  const unsigned char *bytes;
  size_t count;
  /// Where the present item begins and where the next one does; equal at the end.
  size_t item;
  size_t next;
  sqlite3_int64 row;
} value_cursor;

static uint64_t read_word(const unsigned char *bytes) {
  uint64_t word;
  memcpy(&word, bytes, sizeof word);
  return word;
}

/// Finds the end of the item at `item`. Returns false for bytes that are no list.
static bool find_next(value_cursor *cursor) {
  size_t left = cursor->count - cursor->item;
  cursor->next = cursor->item;
  if (left == 0) return true;
  if (left < 9) return false;
  size_t size = 9;
  switch (cursor->bytes[cursor->item]) {
  case ENTITY_ITEM_INTEGER:
  case ENTITY_ITEM_REAL:
    break;
  case ENTITY_ITEM_TEXT:
  case ENTITY_ITEM_BLOB: {
    uint64_t length = read_word(cursor->bytes + cursor->item + 1);
    if (length > left - 9) return false;
    size += (size_t)length;
    break;
  }
  default:
    return false;
  }
  cursor->next = cursor->item + size;
  return true;
}

static int vt_connect(sqlite3 *db, void *aux, int argc, const char *const *argv, sqlite3_vtab **out, char **error) {
  (void)aux, (void)argc, (void)argv, (void)error;
  int rc = sqlite3_declare_vtab(db, "CREATE TABLE x(value, list HIDDEN)");
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
    if (constraint->iColumn != LIST_COLUMN || constraint->op != SQLITE_INDEX_CONSTRAINT_EQ) continue;
    // The argument comes from a table that is not read yet: another order is needed.
    if (!constraint->usable) return SQLITE_CONSTRAINT;
    info->aConstraintUsage[i].argvIndex = 1;
    info->aConstraintUsage[i].omit = 1;
    info->estimatedCost = 100;
    info->estimatedRows = 100;
    return SQLITE_OK;
  }
  return SQLITE_CONSTRAINT;
}

static int vt_open(sqlite3_vtab *table, sqlite3_vtab_cursor **out) {
  (void)table;
  value_cursor *cursor = sqlite3_malloc64(sizeof *cursor);
  if (!cursor) return SQLITE_NOMEM;
  memset(cursor, 0, sizeof *cursor);
  *out = &cursor->base;
  return SQLITE_OK;
}

static int vt_close(sqlite3_vtab_cursor *base) {
  value_cursor *cursor = (value_cursor *)base;
  sqlite3_value_free(cursor->list);
  sqlite3_free(cursor);
  return SQLITE_OK;
}

static int check_item(value_cursor *cursor) {
  if (find_next(cursor)) return SQLITE_OK;
  sqlite3_free(cursor->base.pVtab->zErrMsg);
  cursor->base.pVtab->zErrMsg = sqlite3_mprintf("not a list of values");
  return SQLITE_ERROR;
}

static int vt_filter(sqlite3_vtab_cursor *base, int number, const char *name, int argc, sqlite3_value **argv) {
  (void)number, (void)name;
  value_cursor *cursor = (value_cursor *)base;
  sqlite3_value_free(cursor->list);
  cursor->list = NULL;
  cursor->count = cursor->item = cursor->next = 0;
  cursor->row = 0;
  if (argc > 0 && sqlite3_value_type(argv[0]) == SQLITE_BLOB) {
    cursor->list = sqlite3_value_dup(argv[0]);
    if (!cursor->list) return SQLITE_NOMEM;
    cursor->bytes = sqlite3_value_blob(cursor->list);
    cursor->count = cursor->bytes ? (size_t)sqlite3_value_bytes(cursor->list) : 0;
  }
  return check_item(cursor);
}

static int vt_next(sqlite3_vtab_cursor *base) {
  value_cursor *cursor = (value_cursor *)base;
  cursor->item = cursor->next;
  cursor->row++;
  return check_item(cursor);
}

static int vt_eof(sqlite3_vtab_cursor *base) {
  const value_cursor *cursor = (const value_cursor *)base;
  return cursor->item == cursor->next;
}

static int vt_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int column) {
  const value_cursor *cursor = (const value_cursor *)base;
  if (column != VALUE_COLUMN) return SQLITE_OK;
  const unsigned char *payload = cursor->bytes + cursor->item + 1;
  uint64_t word = read_word(payload);
  switch (cursor->bytes[cursor->item]) {
  case ENTITY_ITEM_INTEGER: {
    sqlite3_int64 integer;
    memcpy(&integer, &word, sizeof integer);
    sqlite3_result_int64(context, integer);
    break;
  }
  case ENTITY_ITEM_REAL: {
    double real;
    memcpy(&real, &word, sizeof real);
    sqlite3_result_double(context, real);
    break;
  }
  case ENTITY_ITEM_TEXT:
    sqlite3_result_text64(context, (const char *)payload + 8, word, SQLITE_TRANSIENT, SQLITE_UTF8);
    break;
  case ENTITY_ITEM_BLOB:
    sqlite3_result_blob64(context, payload + 8, word, SQLITE_TRANSIENT);
    break;
  }
  return SQLITE_OK;
}

static int vt_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *row) {
  *row = ((const value_cursor *)base)->row;
  return SQLITE_OK;
}

int entity_value_list_register(sqlite3 *db) {
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
  return sqlite3_create_module_v2(db, "_entity_values", &module, NULL, NULL);
}

int entity_refuse_quoted_texts(sqlite3 *db) { return sqlite3_db_config(db, SQLITE_DBCONFIG_DQS_DML, 0, (int *)0); }
