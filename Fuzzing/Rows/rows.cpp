// Rows that go to SQLite by batch, against a plain model: a random batch is inserted, read back, found, changed, found again
// and written by an UPDATE. Then its numbers are broken, and each statement must end as the model says. All memory is as long
// as the batch says, so that the address sanitizer sees a read beside it.

#include <numeric>

#include "table.h"

namespace {

constexpr size_t edited = 0, placeholder = 1, firstValue = 2;

std::vector<Cell> cells(Choices &in, size_t count) {
  std::vector<Cell> cells;
  for (size_t i = 0; i < count; i++) cells.emplace_back(in);
  return cells;
}

/// Some of the numbers, in some order.
std::vector<uint32_t> some(Choices &in, size_t rows) {
  std::vector<uint32_t> order(rows);
  std::iota(order.begin(), order.end(), 0);
  for (size_t i = 0; i < rows; i++) std::swap(order[i], order[i + in.below(rows - i)]);
  if (rows > 0) order.resize(rows - in.below(rows) / 2);
  return order;
}

/// The find of a sound batch: of each row that is read and that the table has all is noted, and of no other anything.
void checkFind(Table &table, Batch &batch, const std::vector<Cell> &cells, const std::vector<int64_t> &keys) {
  table.find.run(&batch);
  std::vector<bool> isRead(batch.raw.rows);
  for (size_t i = 0; i < batch.raw.count; i++) isRead[batch.raw.order[i]] = true;
  for (size_t row = 0; row < batch.raw.rows; row++) {
    auto stored = table.rows.find(keys[row] + 1);
    bool isFound = isRead[row] && stored != table.rows.end();
    if (batch.raw.pks[row] != keys[row] + isFound) fail("row %zu has another row id", row);
    int state = 0;
    if (isFound) {
      state = ENTITY_ROW_FOUND | (stored->second[edited].type != SQLITE_NULL ? ENTITY_ROW_EDITED : 0) |
              (stored->second[placeholder].integer() != 0 ? ENTITY_ROW_PLACEHOLDER : 0);
    }
    if (batch.raw.states[row] != state) fail("row %zu has the state %d, not %d", row, batch.raw.states[row], state);
    uint64_t differing[2] = {isFound ? 0 : untouched, isFound ? 0 : untouched};
    for (size_t column = 0; column < batch.raw.columns && isFound; column++) {
      const Cell &cell = cells[row * batch.raw.columns + column];
      const Value &value = stored->second[firstValue + column];
      uint64_t bit = uint64_t(1) << column % 64;
      if (batch.raw.compared[column / 64] & bit && cell.isCompared() && !(cell.value() == value)) differing[column / 64] |= bit;
      int64_t link = batch.raw.links[row * batch.raw.columns + column];
      if (!(batch.raw.linking[column / 64] & bit)) {
        if (link != int64_t(untouched)) fail("row %zu has a link at %zu", row, column);
      } else if (value.type == SQLITE_INTEGER || value.type == SQLITE_NULL) {
        if (link != (value.type == SQLITE_NULL ? 0 : value.integer())) fail("row %zu has another link at %zu", row, column);
      }
    }
    if (memcmp(differing, batch.raw.differing + row * 2, sizeof differing) != 0) {
      fail("row %zu differs in %llx %llx, not in %llx %llx", row, (unsigned long long)batch.raw.differing[row * 2],
           (unsigned long long)batch.raw.differing[row * 2 + 1], (unsigned long long)differing[0],
           (unsigned long long)differing[1]);
    }
  }
}

/// Breaks numbers of a batch, and expects of each statement an error where it reads one of these.
void checkBroken(Choices &in, Table &table, Batch &batch, const std::vector<int64_t> &keys) {
  size_t allCells = batch.raw.rows * batch.raw.columns, columns = batch.raw.columns;
  for (size_t breaks = 1 + in.below(3); breaks > 0; breaks--) {
    entity_cell *cell = allCells == 0 ? nullptr : &batch.cells[in.byte() * 256u % allCells];
    switch (in.below(6)) {
    case 0:
      if (cell) cell->kind = in.chance(4) ? static_cast<uint32_t>(in.word()) : static_cast<uint32_t>(in.below(10));
      break;
    case 1:
      if (cell) cell->length = in.chance(4) ? static_cast<uint32_t>(in.word()) : in.byte();
      break;
    case 2:
      if (cell) cell->bits = in.chance(2) ? static_cast<int64_t>(in.word()) : in.byte();
      break;
    case 3:
      if (batch.raw.count == 0) break;
      batch.order[in.below(batch.raw.count)] =
          in.chance(2) ? static_cast<uint32_t>(in.word()) : static_cast<uint32_t>(in.below(batch.raw.rows + 1));
      break;
    // Fewer are no lie about the memory.
    case 4: batch.raw.columns = in.below(batch.raw.columns + 1); break;
    case 5: batch.raw.rows = in.below(batch.raw.rows + 1); break;
    }
  }
  for (size_t row = 0; row < keys.size(); row++) batch.raw.pks[row] = keys[row];
  bool failsToRead = false, failsToFind = false;
  for (size_t i = 0; i < batch.raw.count; i++) {
    size_t row = batch.raw.order[i];
    if (row >= batch.raw.rows) {
      failsToRead = failsToFind = true;
      break;
    }
    bool isFound = table.rows.count(keys[row] + 1) != 0;
    if (batch.raw.columns < columns) failsToRead = true, failsToFind |= isFound;
    for (size_t column = 0; column < batch.raw.columns; column++) {
      if (batch.isSound(batch.raw.cells[row * batch.raw.columns + column])) continue;
      failsToRead = true;
      if (isFound && batch.raw.compared[column / 64] >> column % 64 & 1) failsToFind = true;
    }
  }
  if (table.read.ends(&batch) != failsToRead) fail("a broken batch is read, or a sound one is not");
  if (table.find.ends(&batch) != failsToFind) fail("a broken batch is compared, or a sound one is not");

  int64_t number = in.chance(4) ? static_cast<int64_t>(in.word()) : static_cast<int64_t>(in.below(8)) - 1;
  sqlite3_bind_int64(table.takeOne.handle(), 2, number);
  bool fails = number < 0 || uint64_t(number) >= batch.raw.rows || batch.raw.columns != columns;
  for (size_t column = 0; column < batch.raw.columns && !fails; column++) {
    if (!(batch.raw.compared[column / 64] >> column % 64 & 1)) continue;
    fails = !batch.isSound(batch.raw.cells[size_t(number) * columns + column]);
  }
  if (table.takeOne.ends(&batch) != fails) fail("a row that there is not is compared, or one that there is is not");
}

void run(Choices in) {
  size_t columns = in.chance(8) ? 1 + in.below(ENTITY_BATCH_COLUMNS) : 1 + in.below(8);
  size_t rows = in.below(6);
  Table &table = Table::with(columns);
  table.empty.run();
  table.rows.clear();

  std::vector<int64_t> keys;
  std::vector<uint8_t> states;
  for (size_t row = 0; row < rows; row++) {
    keys.push_back(static_cast<int64_t>(row) * 300 + in.byte() - 600);
    states.push_back(in.byte());
  }
  std::vector<Cell> before = cells(in, rows * columns);
  Batch inserted(before, keys, states, columns, some(in, rows));
  table.insert.run(&inserted);
  for (size_t i = 0; i < inserted.raw.count; i++) {
    size_t row = inserted.order[i];
    std::vector<Value> values = {Value(), Value::integer((states[row] & ENTITY_ROW_PLACEHOLDER) != 0)};
    for (size_t column = 0; column < columns; column++) values.push_back(before[row * columns + column].value());
    if (keys[row] % 2 == 0) values[edited] = Value::integer(1);
    table.rows[keys[row] + 1] = values;
  }
  table.edit.run();
  table.check("the insert");

  std::vector<Cell> after = before;
  for (Cell &cell : after) {
    if (in.chance(2)) cell = Cell(in);
  }
  Batch changed(after, keys, std::vector<uint8_t>(rows), columns, some(in, rows));
  for (int word = 0; word < 2; word++) {
    changed.raw.compared[word] = in.chance(2) ? in.word() : ~uint64_t(0);
    changed.raw.linking[word] = in.chance(2) ? in.word() : 0;
  }
  checkFind(table, changed, after, keys);

  // All rows that differ as the first one does.
  std::vector<uint32_t> alike;
  for (size_t row = 0; row < rows; row++) {
    if (!(changed.raw.states[row] & ENTITY_ROW_FOUND)) continue;
    const uint64_t *mask = changed.raw.differing + row * 2;
    if (mask[0] == 0 && mask[1] == 0) continue;
    if (alike.empty() || memcmp(mask, changed.raw.differing + alike[0] * 2, 16) == 0) alike.push_back(uint32_t(row));
  }
  if (!alike.empty()) {
    std::vector<int64_t> pks(changed.raw.pks, changed.raw.pks + rows);
    Batch update(after, pks, std::vector<uint8_t>(rows), columns, alike);
    table.update(changed.raw.differing + alike[0] * 2).run(&update);
    if (sqlite3_changes(database()) != int(alike.size())) fail("%d rows are updated", sqlite3_changes(database()));
    for (uint32_t row : alike) {
      for (size_t column = 0; column < columns; column++) {
        if (changed.differs(row, column)) table.rows[pks[row]][firstValue + column] = after[row * columns + column].value();
      }
    }
    table.check("the update");
    Batch again(after, keys, std::vector<uint8_t>(rows), columns, alike);
    memcpy(again.raw.compared, changed.raw.compared, sizeof again.raw.compared);
    checkFind(table, again, after, keys);
    for (uint32_t row : alike) {
      if (again.raw.differing[row * 2] != 0 || again.raw.differing[row * 2 + 1] != 0) fail("a written row differs");
    }
  }
  checkBroken(in, table, changed, keys);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
  run(Choices(bytes, count));
  return 0;
}
