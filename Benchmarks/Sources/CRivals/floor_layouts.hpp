#pragma once
#include <cstddef>
#include <string_view>

// The objects of responses and the tables of their rows, as EntityStore makes them; the entities are in Entities.

enum class kind { integer, real, boolean, text, date, link, owner, list };

// A key of an object and its column. Of a `link` the object is nested, and `target` is its table. A `list` has objects of
// the table `target`, and is no column: the owner's key is in their column of the kind `owner`, which no key sets.
struct column {
  std::string_view key;
  const char *name;
  kind type;
  const char *target = "";
};

constexpr size_t most_columns = 10;

// The first column is the uid.
struct layout {
  template <size_t size>
  constexpr layout(const char *name, const column (&columns)[size]) : name(name), columns(columns), count(size) {
    static_assert(size <= most_columns);
  }

  const char *name;
  const column *columns;
  size_t count;
};

constexpr column users[] = {
    {"id", "uid", kind::integer},         {"email", "email", kind::text},
    {"first", "firstName", kind::text},   {"last", "lastName", kind::text},
    {"age", "age", kind::integer},        {"score", "score", kind::real},
    {"active", "active", kind::boolean},  {"created_at", "createdAt", kind::date},
    {"bio", "bio", kind::text},           {"address", "address", kind::link, "Address"},
};
constexpr column addresses[] = {
    {"id", "uid", kind::integer},   {"street", "street", kind::text}, {"city", "city", kind::text},
    {"state", "state", kind::text}, {"zip", "zip", kind::text},
};
constexpr column tickets[] = {
    {"id", "uid", kind::text},
    {"title", "title", kind::text},
    {"score", "score", kind::integer},
};
constexpr column employees[] = {
    {"id", "uid", kind::integer},
    {"name", "name", kind::text},
    {"score", "score", kind::integer},
    {"company", "company", kind::link, "Company"},
};
constexpr column companies[] = {
    {"id", "uid", kind::integer},
    {"name", "name", kind::text},
    {"city", "city", kind::text},
};
constexpr column boards[] = {
    {"id", "uid", kind::integer},
    {"name", "name", kind::text},
    {"posts", "", kind::list, "Post"},
};
constexpr column posts[] = {
    {"id", "uid", kind::integer},
    {"title", "title", kind::text},
    {"score", "score", kind::integer},
    {"", "board", kind::owner},
};
constexpr column members[] = {
    {"id", "uid", kind::integer},
    {"name", "name", kind::text},
    {"score", "score", kind::integer},
    {"code", "code", kind::text},
};
constexpr column notes[] = {
    {"id", "uid", kind::integer},
    {"title", "title", kind::text},
    {"body", "body", kind::text},
    {"score", "score", kind::integer},
};
constexpr column nodes[] = {{"id", "uid", kind::integer}};

constexpr layout layouts[] = {
    {"User", users},  {"Address", addresses}, {"Ticket", tickets}, {"Employee", employees}, {"Company", companies},
    {"Board", boards}, {"Post", posts},       {"Member", members}, {"Note", notes},         {"Node", nodes},
};
