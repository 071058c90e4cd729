// The floor of the work on rows: a C++ program that was written for this one schema.
#include "CRivals.h"
#include "digest.hpp"

#include <simdjson.h>
#include <sqlite3.h>

#include <map>
#include <string>
#include <string_view>

using simdjson::dom::element;
using simdjson::dom::element_type;

namespace {

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

enum class kind { integer, real, boolean, text, date, address };

struct column {
  std::string_view key;
  const char *name;
  kind type;
};

// The parameter of a column is its place here, and one.
constexpr column users[] = {
    {"id", "uid", kind::integer},         {"email", "email", kind::text},
    {"first", "firstName", kind::text},   {"last", "lastName", kind::text},
    {"age", "age", kind::integer},        {"score", "score", kind::real},
    {"active", "active", kind::boolean},  {"created_at", "createdAt", kind::date},
    {"bio", "bio", kind::text},           {"address", "address", kind::address},
};
constexpr column addresses[] = {
    {"id", "uid", kind::integer},   {"street", "street", kind::text}, {"city", "city", kind::text},
    {"state", "state", kind::text}, {"zip", "zip", kind::text},
};

// Days since 1970 (Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms").
int64_t days(int64_t year, int64_t month, int64_t day) {
  year -= month <= 2;
  int64_t era = (year >= 0 ? year : year - 399) / 400;
  int64_t of_era = year - era * 400;
  int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

// 2020-01-31T23:59:59Z, the one form of the standard work.
double seconds(std::string_view text) {
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

// One table: a statement for each set of keys that its objects have.
template <size_t count>
class table {
 public:
  table(const char *name, const column (&columns)[count]) : name(name), columns(columns) {}

  // The values of an object by column; returns which there are.
  uint32_t read(simdjson::dom::object object, element (&values)[count]) const {
    uint32_t mask = 0;
    size_t next = 0;
    for (auto [key, value] : object) {
      // Keys mostly come in one order.
      for (size_t tried = 0; tried < count; ++tried, next = (next + 1) % count) {
        if (columns[next].key != key) continue;
        values[next] = value;
        mask |= 1u << next;
        next = (next + 1) % count;
        break;
      }
    }
    if (!(mask & 1)) throw failure{"an object has no id"};
    return mask;
  }

  statement &upsert(sqlite3 *handle, uint32_t mask) {
    if (mask == last_mask && last) return *last;
    auto found = statements.find(mask);
    if (found == statements.end()) {
      found = statements.try_emplace(mask, handle, sql(mask)).first;
    }
    last_mask = mask;
    last = &found->second;
    return *last;
  }

  void clear() {
    statements.clear();
    last = nullptr;
  }

 private:
  std::string sql(uint32_t mask) const {
    std::string names, values, set, differs;
    for (size_t index = 0; index < count; ++index) {
      if (!(mask & 1u << index)) continue;
      std::string quoted = std::string("\"") + columns[index].name + "\"";
      names += (names.empty() ? "" : ", ") + quoted;
      values += (values.empty() ? "?" : ", ?") + std::to_string(index + 1);
      if (index == 0) continue;
      set += (set.empty() ? "" : ", ") + quoted + " = excluded." + quoted;
      differs += (differs.empty() ? "" : " OR ") + std::string("\"") + name + "\"." + quoted + " IS NOT excluded." + quoted;
    }
    std::string sql = std::string("INSERT INTO \"") + name + "\" (" + names + ") VALUES (" + values + ") ON CONFLICT (\"uid\")";
    return sql + (set.empty() ? " DO NOTHING" : " DO UPDATE SET " + set + " WHERE " + differs);
  }

  const char *name;
  const column (&columns)[count];
  std::map<uint32_t, statement> statements;
  uint32_t last_mask = 0;
  statement *last = nullptr;
};

void bind(statement &into, int parameter, kind type, element value) {
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
    case kind::address: break;
  }
}

// The compiler leaves no read out whose value goes here.
volatile int64_t sink;

// Reads every column of a row of `users`; `Checksum` in FetchReading.swift makes the same of it. The keys are not in
// the sum, for each database has its own.
int64_t read_row(sqlite3_stmt *row) {
  sink = sqlite3_column_int64(row, 0);
  sink = sqlite3_column_int64(row, 10);
  int64_t sum = sqlite3_column_int64(row, 1);
  for (int text : {2, 3, 4, 9}) {
    const unsigned char *bytes = sqlite3_column_text(row, text);
    int count = sqlite3_column_bytes(row, text);
    if (bytes && count) sum += bytes[0] + count;
  }
  sum += sqlite3_column_int64(row, 5) + sqlite3_column_int64(row, 7);
  return sum + int64_t(sqlite3_column_double(row, 6)) + int64_t(sqlite3_column_double(row, 8));
}

constexpr const char *all_columns =
    "SELECT _pk, uid, email, firstName, lastName, age, score, active, createdAt, bio, address FROM \"User\"";

}  // namespace

struct floor_rows {
  sqlite3 *handle = nullptr;
  std::string reason;
  simdjson::dom::parser parser;
  table<10> user{"User", users};
  table<5> address{"Address", addresses};
  std::map<std::string, statement> kept;

  statement &prepared(const std::string &sql) { return kept.try_emplace(sql, handle, sql).first->second; }

  void execute(const char *sql) {
    char *message = nullptr;
    if (sqlite3_exec(handle, sql, nullptr, nullptr, &message) != SQLITE_OK) {
      failure error{message ? message : "out of memory"};
      sqlite3_free(message);
      throw error;
    }
  }

  template <typename work>
  bool attempt(work body) {
    try {
      body();
      return true;
    } catch (const failure &error) {
      reason = error.reason;
    } catch (const simdjson::simdjson_error &error) {
      reason = error.what();
    }
    return false;
  }

  template <typename work>
  bool transaction(work body) {
    bool done = attempt([&] {
      prepared("BEGIN IMMEDIATE").run();
      body();
      prepared("COMMIT").run();
    });
    if (!done && !sqlite3_get_autocommit(handle)) sqlite3_exec(handle, "ROLLBACK", nullptr, nullptr, nullptr);
    return done;
  }

  // The key of the address's row.
  int64_t take_address(simdjson::dom::object object) {
    element values[5];
    uint32_t mask = address.read(object, values);
    statement &upsert = address.upsert(handle, mask);
    for (int index = 0; index < 5; ++index) {
      if (mask & 1u << index) bind(upsert, index + 1, addresses[index].type, values[index]);
    }
    // Stays zero unless a row is inserted.
    sqlite3_set_last_insert_rowid(handle, 0);
    upsert.run();
    if (int64_t key = sqlite3_last_insert_rowid(handle)) return key;
    return key_of("SELECT _pk FROM \"Address\" WHERE uid = ?", int64_t(values[0]));
  }

  void take_user(simdjson::dom::object object) {
    element values[10];
    uint32_t mask = user.read(object, values);
    int64_t home = 0;
    if (mask & 1u << 9 && !values[9].is_null()) home = take_address(values[9]);
    statement &upsert = user.upsert(handle, mask);
    for (int index = 0; index < 10; ++index) {
      if (mask & 1u << index) bind(upsert, index + 1, users[index].type, values[index]);
    }
    if (home) sqlite3_bind_int64(upsert.pointer, 10, home);
    upsert.run();
  }

  int64_t key_of(const char *sql, int64_t uid) {
    statement &find = uid_statement(sql);
    sqlite3_bind_int64(find.pointer, 1, uid);
    if (!find.step()) {
      find.reset();
      throw failure{"a uid has no row"};
    }
    int64_t key = sqlite3_column_int64(find.pointer, 0);
    find.reset();
    return key;
  }

 private:
  // By the address of the SQL: a literal is always at one.
  statement &uid_statement(const char *sql) { return by_literal.try_emplace(sql, handle, sql).first->second; }
  std::map<const char *, statement> by_literal;

 public:
  void close() {
    user.clear();
    address.clear();
    kept.clear();
    by_literal.clear();
    sqlite3_close_v2(handle);
  }
};

extern "C" {

floor_rows *floor_rows_open(const char *path) {
  auto rows = new floor_rows();
  if (sqlite3_open_v2(
          path, &rows->handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr)
      == SQLITE_OK) {
    return rows;
  }
  floor_rows_close(rows);
  return nullptr;
}

void floor_rows_close(floor_rows *rows) {
  rows->close();
  delete rows;
}

sqlite3 *floor_rows_handle(floor_rows *rows) { return rows->handle; }

const char *floor_rows_error(floor_rows *rows) { return rows->reason.c_str(); }

bool floor_rows_execute(floor_rows *rows, const char *sql) {
  return rows->attempt([&] { rows->execute(sql); });
}

bool floor_rows_ingest(floor_rows *rows, const uint8_t *text, size_t count) {
  return rows->transaction([&] {
    for (element user : simdjson::dom::array(rows->parser.parse(text, count))) rows->take_user(user);
  });
}

bool floor_rows_fetch(floor_rows *rows, int64_t *sum) {
  return rows->attempt([&] {
    static const std::string sql = std::string(all_columns) + " ORDER BY _pk";
    statement &fetch = rows->prepared(sql);
    *sum = 0;
    while (fetch.step()) *sum += read_row(fetch.pointer);
    fetch.reset();
  });
}

bool floor_rows_find(floor_rows *rows, const int64_t *uids, size_t count, int64_t *sum) {
  return rows->attempt([&] {
    static const std::string sql = std::string(all_columns) + " WHERE uid = ?";
    statement &find = rows->prepared(sql);
    *sum = 0;
    for (size_t index = 0; index < count; ++index) {
      sqlite3_bind_int64(find.pointer, 1, uids[index]);
      if (find.step()) *sum += read_row(find.pointer);
      find.reset();
    }
  });
}

bool floor_rows_save(floor_rows *rows, const int64_t *keys, const double *scores, size_t count) {
  return rows->transaction([&] {
    statement &update = rows->prepared("UPDATE \"User\" SET score = ? WHERE _pk = ?");
    for (size_t index = 0; index < count; ++index) {
      sqlite3_bind_double(update.pointer, 1, scores[index]);
      sqlite3_bind_int64(update.pointer, 2, keys[index]);
      update.run();
    }
  });
}

bool floor_rows_key(floor_rows *rows, int64_t uid, int64_t *key) {
  return rows->attempt([&] { *key = rows->key_of("SELECT _pk FROM \"User\" WHERE uid = ?", uid); });
}

bool floor_rows_digest(sqlite3 *handle, uint64_t *digest) {
  try {
    statement select(
        handle,
        "SELECT u.uid, u.email, u.firstName, u.lastName, u.age, u.score, u.active, u.createdAt, u.bio, a.uid, a.street, "
        "a.city, a.state, a.zip FROM \"User\" u LEFT JOIN \"Address\" a ON a._pk = u.address ORDER BY u.uid");
    uint64_t rows = 7, count = 0;
    while (select.step()) {
      uint64_t row = 7;
      for (int index = 0; index < 14; ++index) {
        uint64_t value = 1;
        switch (sqlite3_column_type(select.pointer, index)) {
          case SQLITE_INTEGER: value = mix(4, uint64_t(sqlite3_column_int64(select.pointer, index))); break;
          case SQLITE_FLOAT: value = of_double(sqlite3_column_double(select.pointer, index)); break;
          case SQLITE_TEXT: {
            auto text = reinterpret_cast<const char *>(sqlite3_column_text(select.pointer, index));
            value = of_string({text, size_t(sqlite3_column_bytes(select.pointer, index))});
            break;
          }
          default: break;
        }
        row = mix(row, value);
      }
      rows = mix(rows, mix(row, 14));
      ++count;
    }
    *digest = mix(rows, count);
    return true;
  } catch (const failure &) {
    return false;
  }
}
}
