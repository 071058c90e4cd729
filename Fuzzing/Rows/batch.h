// What a batch says, as a plain model and in the form that SQLite reads.
#pragma once
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

extern "C" {
#include "row_batch.h"
}

/// Prints the fault and ends the process; libFuzzer then keeps the input.
[[noreturn]] inline void fail(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fputs("FOUND: ", stderr);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  va_end(arguments);
  abort();
}

/// The input as choices; behind its end all are 0.
class Choices {
 public:
  Choices(const uint8_t *bytes, size_t count) : bytes_(bytes), left_(count) {}

  uint8_t byte() { return left_ == 0 ? 0 : (left_--, *bytes_++); }
  size_t below(size_t count) { return byte() % count; }
  bool chance(size_t count) { return below(count) == count - 1; }
  uint64_t word() {
    uint64_t word = 0;
    for (int i = 0; i < 8; i++) word = word << 8 | byte();
    return word;
  }

 private:
  const uint8_t *bytes_;
  size_t left_;
};

/// A value of a table. A number is its 8 bytes.
struct Value {
  int type = SQLITE_NULL;
  std::string bytes;

  bool operator==(const Value &other) const { return type == other.type && bytes == other.bytes; }

  static Value integer(int64_t integer) { return {SQLITE_INTEGER, {reinterpret_cast<char *>(&integer), 8}}; }

  int64_t integer() const {
    int64_t integer;
    memcpy(&integer, bytes.data(), 8);
    return integer;
  }
};

struct Cell {
  uint32_t kind = ENTITY_CELL_ABSENT;
  std::string bytes;

  explicit Cell(Choices &in) : kind(static_cast<uint32_t>(in.below(8))) {
    switch (kind) {
    case ENTITY_CELL_INTEGER: {
      int64_t integer = in.chance(4) ? static_cast<int64_t>(in.word()) : static_cast<int64_t>(in.below(4)) - 1;
      bytes.assign(reinterpret_cast<char *>(&integer), 8);
      break;
    }
    case ENTITY_CELL_REAL: {
      double real = static_cast<double>(in.below(8)) / 2 - 1;
      uint64_t word = in.chance(4) ? in.word() : 0;
      if (word != 0) memcpy(&real, &word, 8);
      // SQLite has no NaN.
      if (std::isnan(real)) real = 0.5;
      bytes.assign(reinterpret_cast<char *>(&real), 8);
      break;
    }
    case ENTITY_CELL_SOURCE_TEXT:
    case ENTITY_CELL_TEXT:
    case ENTITY_CELL_BLOB: {
      size_t length = in.chance(16) ? 40 * in.byte() : in.below(6);
      for (size_t i = 0; i < length; i++) bytes += i < 8 ? static_cast<char>(in.byte()) : 'x';
      break;
    }
    }
  }

  bool isCompared() const { return kind != ENTITY_CELL_ABSENT && kind != ENTITY_CELL_OPEN; }

  Value value() const {
    switch (kind) {
    case ENTITY_CELL_INTEGER: return {SQLITE_INTEGER, bytes};
    case ENTITY_CELL_REAL: return {SQLITE_FLOAT, bytes};
    case ENTITY_CELL_SOURCE_TEXT:
    case ENTITY_CELL_TEXT: return {SQLITE_TEXT, bytes};
    case ENTITY_CELL_BLOB: return {SQLITE_BLOB, bytes};
    default: return {};
    }
  }
};

template <typename T>
std::unique_ptr<T[]> copy(const std::vector<T> &values) {
  std::unique_ptr<T[]> copy(new T[values.size()]);
  for (size_t i = 0; i < values.size(); i++) copy[i] = values[i];
  return copy;
}

constexpr uint64_t untouched = 0xA5A5A5A5A5A5A5A5;

/// A batch as SQLite reads it, each array in memory of its own.
class Batch {
 public:
  entity_row_batch raw = {};
  std::unique_ptr<entity_cell[]> cells;
  std::unique_ptr<uint32_t[]> order;

  Batch(const std::vector<Cell> &from, const std::vector<int64_t> &pks, const std::vector<uint8_t> &states, size_t columns,
        const std::vector<uint32_t> &read)
      : order(copy(read)), pks_(copy(pks)), states_(copy(states)) {
    size_t rows = pks.size();
    std::vector<uint8_t> source, arena;
    std::vector<entity_cell> all;
    for (const Cell &cell : from) {
      entity_cell made = {cell.kind, 0, 0};
      if (cell.kind == ENTITY_CELL_INTEGER || cell.kind == ENTITY_CELL_REAL) {
        memcpy(&made.bits, cell.bytes.data(), 8);
      } else {
        std::vector<uint8_t> &bytes = cell.kind == ENTITY_CELL_SOURCE_TEXT ? source : arena;
        made.bits = static_cast<int64_t>(bytes.size());
        made.length = static_cast<uint32_t>(cell.bytes.size());
        bytes.insert(bytes.end(), cell.bytes.begin(), cell.bytes.end());
      }
      all.push_back(made);
    }
    cells = copy(all);
    source_ = copy(source);
    arena_ = copy(arena);
    differing_ = copy(std::vector<uint64_t>(rows * 2, untouched));
    links_ = copy(std::vector<int64_t>(from.size(), static_cast<int64_t>(untouched)));
    raw.cells = cells.get();
    raw.rows = rows;
    raw.columns = columns;
    // As of an empty array in Swift.
    raw.source = source.empty() ? nullptr : source_.get();
    raw.source_count = source.size();
    raw.arena = arena.empty() ? nullptr : arena_.get();
    raw.arena_count = arena.size();
    raw.pks = pks_.get();
    raw.states = states_.get();
    raw.differing = differing_.get();
    raw.links = links_.get();
    raw.order = order.get();
    raw.count = read.size();
  }

  bool differs(size_t row, size_t column) const { return raw.differing[row * 2 + column / 64] >> column % 64 & 1; }

  /// Whether the batch has what a cell says.
  bool isSound(const entity_cell &cell) const {
    if (cell.kind > ENTITY_CELL_OPEN) return false;
    if (cell.kind < ENTITY_CELL_SOURCE_TEXT || cell.kind == ENTITY_CELL_OPEN) return true;
    size_t count = cell.kind == ENTITY_CELL_SOURCE_TEXT ? raw.source_count : raw.arena_count;
    return cell.bits >= 0 && static_cast<__int128>(cell.bits) + cell.length <= static_cast<__int128>(count);
  }

 private:
  std::unique_ptr<uint8_t[]> source_, arena_;
  std::unique_ptr<int64_t[]> pks_;
  std::unique_ptr<uint8_t[]> states_;
  std::unique_ptr<uint64_t[]> differing_;
  std::unique_ptr<int64_t[]> links_;
};
