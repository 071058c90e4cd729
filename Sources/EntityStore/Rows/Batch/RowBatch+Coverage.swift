import EntityJSON

// The column of the properties that no response ever had, for the rows of a batch. Entities without that column come
// here for nothing.

extension RowBatch {
  /// The properties that count as loaded once a row is written.
  private func covered(_ row: Int) -> ColumnMask { rows[row].present.union(rows[row].keys) }

  /// Takes what a row of the file lacks so far, and finds out what it lacks once the batch is written.
  ///
  /// - Parameter names: The value of the column in the file, which is not NULL.
  func cover(_ row: Int, _ names: StoredValue, _ source: [UInt8]) {
    guard let coverage = model.coverage else { return }
    let before = model.missing(names)
    let left = before.left(by: covered(row), saying: missing(row, coverage, source))
    guard left != before else { return }
    table[row, coverage] = table.cell(model.names(left))
    differs(row, coverage)
  }

  /// The value that the row's own source has for the column.
  private func missing(_ row: Int, _ coverage: Int, _ source: [UInt8]) -> MissingProperties? {
    rows[row].present.contains(coverage) ? model.missing(table.value(table[row, coverage], source)) : nil
  }

  /// Gives new rows the properties that they lack.
  func coverNew(_ rows: [UInt32], _ origin: RowSource, _ writer: RowWriter, _ source: [UInt8]) {
    guard let coverage = model.coverage else { return }
    // The objects of a list are much alike, and so are their cells.
    var last: (covered: ColumnMask, isPlaceholder: Bool, cell: JSONCell)?
    for row in rows.lazy.map({ Int($0) }) {
      let (covered, isPlaceholder) = (covered(row), isPlaceholder(row))
      guard !covered.contains(coverage) else {
        let said = table.value(table[row, coverage], source)
        let left = writer.knowledge.missing(
          model, covered, lists: ColumnMask(), origin, isPlaceholder: isPlaceholder, saying: said)
        table[row, coverage] = table.cell(left)
        continue
      }
      if let last, last.covered == covered, last.isPlaceholder == isPlaceholder {
        table[row, coverage] = last.cell
        continue
      }
      let left = writer.knowledge.missing(
        model, covered, lists: ColumnMask(), origin, isPlaceholder: isPlaceholder, saying: nil)
      let cell = table.cell(left)
      table[row, coverage] = cell
      last = (covered, isPlaceholder, cell)
    }
  }
}

// The column with the time at which a response last had an object.

extension RowBatch {
  /// Notes that a response has an object. A mere reference says nothing of it.
  func hear(_ row: Int, at now: Int64) {
    guard let age = model.age, !rows[row].isReference else { return }
    table[row, age] = JSONCell(integer: now)
    differs(row, age)
  }

  func hearNew(_ rows: [UInt32], _ origin: RowSource, _ writer: RowWriter) {
    guard let age = model.age else { return }
    for row in rows.lazy.map({ Int($0) }) where !self.rows[row].present.contains(age) {
      let heard = writer.knowledge.heard(origin, isPlaceholder: self.rows[row].isReference)
      guard case .integer(let now)? = heard else { continue }
      table[row, age] = JSONCell(integer: now)
    }
  }
}

extension EntityModel {
  /// The column of ``coverage`` of a row `t` in a condition, as a further argument; nothing without that column.
  var coverageOfRow: [String] { coverage == nil ? [] : ["t.\(PropertyModel.coverageName.quoted)"] }

  /// The columns of a batch that are compared with the file. The store alone sets the others.
  var compared: ColumnMask {
    let compared = stored.subtracting(identity)
    return coverage.map { compared.subtracting(ColumnMask($0)) } ?? compared
  }
}
