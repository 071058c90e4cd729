#pragma once
#include "floor_layouts.hpp"

#include <simdjson.h>
#include <sqlite3.h>

#include <map>
#include <memory>
#include <string>
#include <string_view>

using simdjson::dom::element;

struct failure {
  std::string reason;
};

class statement {
 public:
  statement(sqlite3 *handle, const std::string &sql) : handle(handle) {
    if (sqlite3_prepare_v3(handle, sql.c_str(), -1, SQLITE_PREPARE_PERSISTENT, &pointer, nullptr) != SQLITE_OK) {
      throw failure{sqlite3_errmsg(handle)};
    }
  }
  ~statement() { sqlite3_finalize(pointer); }
  statement(const statement &) = delete;
  statement &operator=(const statement &) = delete;

  bool step() {
    int code = sqlite3_step(pointer);
    if (code == SQLITE_ROW) return true;
    if (code == SQLITE_DONE) return false;
    std::string reason = sqlite3_errmsg(handle);
    sqlite3_reset(pointer);
    throw failure{reason};
  }
  void run() {
    step();
    reset();
  }
  void reset() { sqlite3_reset(pointer); }

  sqlite3_stmt *pointer = nullptr;

 private:
  sqlite3 *handle;
};

// Days since 1970 (Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms").
inline int64_t days(int64_t year, int64_t month, int64_t day) {
  year -= month <= 2;
  int64_t era = (year >= 0 ? year : year - 399) / 400;
  int64_t of_era = year - era * 400;
  int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

// 2020-01-31T23:59:59Z, the one form of the standard work.
inline double seconds(std::string_view text) {
  if (text.size() != 20) throw failure{"a date is of another form"};
  auto number = [&](size_t start, size_t count) {
    int64_t value = 0;
    for (size_t index = start; index < start + count; ++index) {
      if (text[index] < '0' || text[index] > '9') throw failure{"a date is of another form"};
      value = value * 10 + (text[index] - '0');
    }
    return value;
  };
  int64_t of_day = number(11, 2) * 3600 + number(14, 2) * 60 + number(17, 2);
  return double(days(number(0, 4), number(5, 2), number(8, 2)) * 86400 + of_day);
}

inline void bind(statement &into, int parameter, kind type, element value) {
  if (value.is_null()) {
    sqlite3_bind_null(into.pointer, parameter);
    return;
  }
  switch (type) {
    case kind::integer: sqlite3_bind_int64(into.pointer, parameter, int64_t(value)); break;
    case kind::real: sqlite3_bind_double(into.pointer, parameter, double(value)); break;
    case kind::boolean: sqlite3_bind_int64(into.pointer, parameter, bool(value)); break;
    case kind::date: sqlite3_bind_double(into.pointer, parameter, seconds(value)); break;
    case kind::text: {
      std::string_view text = value;
      // The parser's document outlives the step.
      sqlite3_bind_text(into.pointer, parameter, text.data(), int(text.size()), SQLITE_STATIC);
      break;
    }
    case kind::link:
    case kind::owner:
    case kind::list: break;
  }
}

// One table: a statement for each set of keys that its objects have.
class table {
 public:
  table(sqlite3 *handle, const layout &of) : columns(of.columns), count(of.count), handle(handle), name(of.name) {
    for (size_t index = 0; index < count; ++index) {
      if (columns[index].type == kind::owner) owner = 1u << index;
      if (columns[index].type == kind::list) lists |= 1u << index;
      if (columns[index].type == kind::link) links |= 1u << index;
    }
  }

  // The values of an object by column; returns which there are.
  uint32_t read(simdjson::dom::object object, element *values) const {
    uint32_t mask = 0;
    size_t next = 0;
    for (auto [key, value] : object) {
      // Keys mostly come in one order.
      for (size_t tried = 0; tried < count; ++tried) {
        size_t here = next;
        next = next + 1 == count ? 0 : next + 1;
        if (columns[here].key != key) continue;
        values[here] = value;
        mask |= 1u << here;
        break;
      }
    }
    if (!(mask & 1)) throw failure{"an object has no id"};
    return mask;
  }

  statement &upsert(uint32_t mask) {
    if (mask == last_mask && last) return *last;
    auto found = statements.find(mask);
    if (found == statements.end()) {
      found = statements.try_emplace(mask, handle, sql(mask)).first;
    }
    last_mask = mask;
    last = &found->second;
    return *last;
  }

  // The key of the row whose uid `bind_uid` binds.
  template <typename binding>
  int64_t key(binding bind_uid) {
    if (!find) find = std::make_unique<statement>(handle, "SELECT _pk FROM " + quoted(name) + " WHERE uid = ?");
    bind_uid(*find);
    return number(*find, "a uid has no row");
  }

  // How many rows have an owner.
  int64_t members(int64_t of) {
    if (!counting) {
      counting = std::make_unique<statement>(
          handle, "SELECT count(*) FROM " + quoted(name) + " WHERE " + quoted(owner_name()) + " = ?");
    }
    sqlite3_bind_int64(counting->pointer, 1, of);
    return number(*counting, "a count has no row");
  }

  const column *columns;
  const size_t count;
  // The columns of these kinds, as masks.
  uint32_t owner = 0, lists = 0, links = 0;
  // The tables of nested objects, by column.
  table *targets[most_columns] = {};

 private:
  static std::string quoted(const std::string &name) { return "\"" + name + "\""; }

  const char *owner_name() const {
    size_t index = 0;
    while (owner >> index > 1) ++index;
    return columns[index].name;
  }

  static int64_t number(statement &select, const char *otherwise) {
    if (!select.step()) {
      select.reset();
      throw failure{otherwise};
    }
    int64_t value = sqlite3_column_int64(select.pointer, 0);
    select.reset();
    return value;
  }

  // The parameter of a column is its place, and one.
  std::string sql(uint32_t mask) const {
    std::string names, values, set, differs;
    for (size_t index = 0; index < count; ++index) {
      if (!(mask & 1u << index)) continue;
      std::string column = quoted(columns[index].name);
      names += (names.empty() ? "" : ", ") + column;
      values += (values.empty() ? "?" : ", ?") + std::to_string(index + 1);
      if (index == 0) continue;
      set += (set.empty() ? "" : ", ") + column + " = excluded." + column;
      differs += (differs.empty() ? "" : " OR ") + quoted(name) + "." + column + " IS NOT excluded." + column;
    }
    std::string sql = "INSERT INTO " + quoted(name) + " (" + names + ") VALUES (" + values + ") ON CONFLICT (\"uid\")";
    return sql + (set.empty() ? " DO NOTHING" : " DO UPDATE SET " + set + " WHERE " + differs);
  }

  sqlite3 *handle;
  const char *name;
  std::map<uint32_t, statement> statements;
  uint32_t last_mask = 0;
  statement *last = nullptr;
  std::unique_ptr<statement> find, counting;
};
