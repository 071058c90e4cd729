// A table, its statements and its model.
#pragma once
#include <map>

#include "batch.h"

inline sqlite3 *database() {
  static sqlite3 *opened = [] {
    sqlite3 *db;
    if (sqlite3_open(":memory:", &db) != SQLITE_OK || entity_row_batch_register(db) != SQLITE_OK) fail("no database");
    return db;
  }();
  return opened;
}

class Statement {
 public:
  explicit Statement(const std::string &sql) {
    if (sqlite3_prepare_v2(database(), sql.c_str(), -1, &handle_, nullptr) != SQLITE_OK) {
      fail("%s: %s", sqlite3_errmsg(database()), sql.c_str());
    }
  }
  Statement(const Statement &) = delete;
  ~Statement() { sqlite3_finalize(handle_); }

  sqlite3_stmt *handle() const { return handle_; }

  /// Runs to the end and returns whether that was an error. `row` is called at each row.
  template <typename Row>
  bool ends(Batch *batch, Row row) {
    if (batch && entity_row_batch_bind(handle_, 1, &batch->raw) != SQLITE_OK) fail("no batch is bound");
    int code;
    while ((code = sqlite3_step(handle_)) == SQLITE_ROW) row();
    sqlite3_reset(handle_);
    if (code != SQLITE_DONE && code != SQLITE_ERROR) fail("SQLite's error %d: %s", code, sqlite3_errmsg(database()));
    return code == SQLITE_ERROR;
  }
  bool ends(Batch *batch) { return ends(batch, [] {}); }
  void run(Batch *batch = nullptr) {
    if (ends(batch)) fail("%s: %s", sqlite3_errmsg(database()), sqlite3_sql(handle_));
  }

  Value value(int column) const {
    Value value{sqlite3_column_type(handle_, column), {}};
    switch (value.type) {
    case SQLITE_INTEGER: return Value::integer(sqlite3_column_int64(handle_, column));
    case SQLITE_FLOAT: {
      double real = sqlite3_column_double(handle_, column);
      value.bytes.assign(reinterpret_cast<char *>(&real), 8);
      break;
    }
    case SQLITE_TEXT:
    case SQLITE_BLOB: {
      int count = sqlite3_column_bytes(handle_, column);
      if (count > 0) value.bytes.assign(static_cast<const char *>(sqlite3_column_blob(handle_, column)), size_t(count));
      break;
    }
    }
    return value;
  }

 private:
  sqlite3_stmt *handle_ = nullptr;
};

/// A table with so many columns, and its model: rows by their row ids. The row id is one more than the row's `_key`.
class Table {
 public:
  Statement insert, find, read, takeOne, empty, edit, all;
  std::map<int64_t, std::vector<Value>> rows;

  static Table &with(size_t columns) {
    static std::map<size_t, std::unique_ptr<Table>> tables;
    std::unique_ptr<Table> &table = tables[columns];
    if (!table) {
      std::string name = "t" + std::to_string(columns);
      Statement("CREATE TABLE " + name + " (_pk INTEGER PRIMARY KEY, _key INTEGER NOT NULL UNIQUE, _edited, _placeholder" +
                list(columns, "k") + ")")
          .run();
      table.reset(new Table(columns, name));
    }
    return *table;
  }

  Statement update(uint64_t const mask[2]) const {
    std::string sets;
    for (size_t column = 0; column < columns_; column++) {
      if (!(mask[column / 64] >> column % 64 & 1)) continue;
      std::string number = std::to_string(column);
      sets += (sets.empty() ? "k" : ", k") + number + " = v.c" + number;
    }
    return Statement("UPDATE OR FAIL " + name_ + " SET " + sets + " FROM _entity_batch(?1) v WHERE " + name_ + "._pk = v.pk");
  }

  void check(const char *when) {
    auto expected = rows.begin();
    all.ends(nullptr, [&] {
      if (expected == rows.end() || all.value(0).integer() != expected->first) fail("another row after %s", when);
      for (size_t i = 0; i < expected->second.size(); i++) {
        if (!(all.value(int(i) + 1) == expected->second[i])) fail("another value at %zu after %s", i, when);
      }
      ++expected;
    });
    if (expected != rows.end()) fail("no row after %s", when);
  }

 private:
  size_t columns_;
  std::string name_;

  static std::string list(size_t columns, const char *prefix, bool isNumbered = true) {
    std::string list;
    for (size_t i = 0; i < columns; i++) list += std::string(", ") + prefix + (isNumbered ? std::to_string(i) : "");
    return list;
  }

  Table(size_t columns, const std::string &name)
      : insert("INSERT OR FAIL INTO " + name + " SELECT pk + 1, pk, NULL, placeholder" + list(columns, "c") +
               " FROM _entity_batch(?1)"),
        find("SELECT 1 FROM _entity_batch(?1) v CROSS JOIN " + name + " t ON t._key = v.pk "
             "WHERE _entity_take(?1, v.n, t._pk, t._edited, t._placeholder" + list(columns, "t.k") + ")"),
        read("SELECT n" + list(columns, "c") + " FROM _entity_batch(?1)"),
        takeOne("SELECT _entity_take(?1, ?2, 7, NULL, 1" + list(columns, "NULL", false) + ")"),
        empty("DELETE FROM " + name),
        edit("UPDATE " + name + " SET _edited = 1 WHERE _key % 2 = 0"),
        all("SELECT _pk, _edited, _placeholder" + list(columns, "k") + " FROM " + name + " ORDER BY _pk"),
        columns_(columns), name_(name) {}
};
