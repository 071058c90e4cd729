// The floor of the work on rows: a C++ program for the tables of floor_layouts.hpp, with a statement a row.
#include "CRivals.h"
#include "digest.hpp"
#include "floor_table.hpp"

#include <map>
#include <string>

namespace {

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
  table *root = nullptr;
  std::map<std::string, table> tables;
  std::map<std::string, statement> kept;

  statement &prepared(const std::string &sql) { return kept.try_emplace(sql, handle, sql).first->second; }

  table &named(const std::string &name) {
    auto known = tables.find(name);
    if (known != tables.end()) return known->second;
    for (const layout &layout : layouts) {
      if (name != layout.name) continue;
      table &made = tables.try_emplace(name, handle, layout).first->second;
      for (size_t index = 0; index < layout.count; ++index) {
        if (*layout.columns[index].target) made.targets[index] = &named(layout.columns[index].target);
      }
      return made;
    }
    throw failure{"there is no layout of the table " + name};
  }

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

  // Upserts the row of an object, after those that it links to and before those of its lists. Returns its key when that is
  // wanted, else 0.
  int64_t take(table &into, simdjson::dom::object object, bool wants_key, int64_t owner) {
    element values[most_columns];
    int64_t keys[most_columns];
    uint32_t mask = into.read(object, values);
    for (size_t index = 0; index < into.count; ++index) {
      if (!(mask & into.links & 1u << index)) continue;
      keys[index] = values[index].is_null() ? 0 : take(*into.targets[index], values[index], true, 0);
    }
    uint32_t lists = mask & into.lists;
    mask = (mask & ~into.lists) | (owner ? into.owner : 0);
    statement &upsert = into.upsert(mask);
    for (size_t index = 0; index < into.count; ++index) {
      uint32_t bit = 1u << index;
      if (!(mask & bit)) continue;
      int parameter = int(index) + 1;
      if (bit & into.owner) {
        sqlite3_bind_int64(upsert.pointer, parameter, owner);
      } else if (bit & into.links && keys[index]) {
        sqlite3_bind_int64(upsert.pointer, parameter, keys[index]);
      } else {
        bind(upsert, parameter, into.columns[index].type, values[index]);
      }
    }
    if (!wants_key && !lists) {
      upsert.run();
      return 0;
    }
    // Stays zero unless a row is inserted.
    sqlite3_set_last_insert_rowid(handle, 0);
    upsert.run();
    int64_t key = sqlite3_last_insert_rowid(handle);
    if (!key) key = into.key([&](statement &find) { bind(find, 1, into.columns[0].type, values[0]); });
    for (size_t index = 0; index < into.count; ++index) {
      if (lists & 1u << index) take_list(*into.targets[index], values[index], key);
    }
    return key;
  }

  void take_list(table &into, simdjson::dom::array objects, int64_t owner) {
    for (element object : objects) take(into, object, false, owner);
    // No list of a benchmark loses a member, and that is made sure.
    if (into.members(owner) != int64_t(objects.size())) throw failure{"a list has lost members"};
  }

  int64_t key_of_user(int64_t uid) {
    return named("User").key([&](statement &find) { sqlite3_bind_int64(find.pointer, 1, uid); });
  }

  void close() {
    tables.clear();
    kept.clear();
    sqlite3_close_v2(handle);
  }
};

extern "C" {

floor_rows *floor_rows_open(const char *path, const char *root) {
  auto rows = new floor_rows();
  if (sqlite3_open_v2(
          path, &rows->handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr)
          == SQLITE_OK
      && rows->attempt([&] { rows->root = &rows->named(root); })) {
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
    for (element object : simdjson::dom::array(rows->parser.parse(text, count))) rows->take(*rows->root, object, false, 0);
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

bool floor_rows_link(
    floor_rows *rows, const char *sql, const int64_t *owners, const int64_t *targets, size_t count) {
  return rows->transaction([&] {
    statement &update = rows->prepared(sql);
    for (size_t index = 0; index < count; ++index) {
      sqlite3_bind_int64(update.pointer, 1, targets[index]);
      sqlite3_bind_int64(update.pointer, 2, owners[index]);
      update.run();
    }
  });
}

bool floor_rows_key(floor_rows *rows, int64_t uid, int64_t *key) {
  return rows->attempt([&] { *key = rows->key_of_user(uid); });
}

bool floor_rows_digest(sqlite3 *handle, const char *sql, uint64_t *digest) {
  try {
    statement select(handle, sql);
    int columns = sqlite3_column_count(select.pointer);
    uint64_t rows = 7, count = 0;
    while (select.step()) {
      uint64_t row = 7;
      for (int index = 0; index < columns; ++index) {
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
      rows = mix(rows, mix(row, uint64_t(columns)));
      ++count;
    }
    *digest = mix(rows, count);
    return true;
  } catch (const failure &) {
    return false;
  }
}
}
