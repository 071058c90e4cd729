/// Takes the image of what a transaction changes; see ``SaveImage``.
///
/// SQLite reports the rows, whoever writes them. The row writer reports the notes in tables without row ids. The values
/// from before are read at the end: a second connection sees them until the transaction is committed.
final class SaveRecorder: ChangeObserver {
  private enum Table {
    case rows(EntityModel)
    /// The pairs that were taken out of a relationship.
    case removals(EntityModel)
  }

  private let box: SaveImageBox
  private let watch: RowWatch
  private let tables: [Table]
  private var noted: Set<RowKey> = []
  private var deleted: Set<RowKey> = []
  /// The lazy columns that were written. Others are not read.
  private var lazies: [RowKey: ColumnMask] = [:]
  /// Whether rows were merged: an undo can't take that back.
  private var isLost = false

  /// The memory of a row's id, about: an image of more rows is too large in any case.
  private static let bytesOfRow = 64

  init(_ rows: RowWriter, into box: SaveImageBox) {
    self.box = box
    tables = rows.schema.entities.flatMap { $0.isLinks ? [.rows($0), .removals($0)] : [.rows($0)] }
    let names = tables.map { table in
      switch table {
      case .rows(let model): model.name
      case .removals(let model): model.removedName
      }
    }
    watch = RowWatch(names, most: box.bytes / Self.bytesOfRow)
    watch.begin(on: rows.connection)
  }

  func willChangeEdits(_ model: EntityModel, _ pk: Int64) {
    if !watch.isFull { noted.insert(RowKey(entity: model.number, pk: pk)) }
  }

  func willWrite(_ model: EntityModel, _ pk: Int64, _ mask: ColumnMask) {
    let lazy = mask.intersection(model.lazy)
    guard !lazy.isEmpty, !watch.isFull else { return }
    lazies[RowKey(entity: model.number, pk: pk), default: ColumnMask()].formUnion(lazy)
  }

  /// The transaction makes a generation.
  func noteGeneration(_ generation: Int64) { box.noteGeneration(generation) }

  func didForward(_ model: EntityModel, from: Int64, to: Int64) { if !model.isLinks { isLost = true } }

  func willChangeDeletion(_ model: EntityModel, _ pk: Int64) {
    if !watch.isFull { deleted.insert(RowKey(entity: model.number, pk: pk)) }
  }

  /// The transaction is over, or about to be.
  func stop() { watch.end() }

  /// Takes the image, just before the commit. Where that fails, the save can't be undone.
  func end(_ rows: RowWriter) {
    stop()
    box.content = .lost
    guard !isLost, !watch.isFull else { return }
    guard let image = try? image(rows), image.bytes <= box.bytes else { return }
    box.content = image.isEmpty ? .nothing : .image(image)
  }

  private func image(_ rows: RowWriter) throws -> SaveImage {
    let before = try rows.writer.earlier()
    // An error that ends this transaction is thrown by the read that meets it: no later read runs outside of the
    // transaction.
    try before.begin("DEFERRED")
    defer { before.rollback() }
    var reading = ImageReading(before: before, after: rows.connection, limit: box.bytes, lazies: lazies)
    var image = SaveImage()
    image.age = try rows.connection.age()
    for (place, table) in tables.enumerated() where !watch.rows[place].isEmpty {
      let changed = watch.rows[place].sorted()
      switch table {
      case .rows(let model): try reading.add(changed, model, to: &image)
      case .removals(let model): try reading.add(removals: changed, model, to: &image)
      }
    }
    for key in noted { try reading.add(notes: key, rows.schema, to: &image) }
    for key in deleted.sorted(by: { ($0.entity, $0.pk) < ($1.entity, $1.pk) }) {
      try reading.add(deletion: key, rows.schema, to: &image)
    }
    return image
  }
}

/// Reads the rows of an image on both sides of the transaction.
private struct ImageReading {
  let before: Connection
  let after: Connection
  /// The most memory of an image.
  let limit: Int
  /// The lazy columns that were written of rows that were there.
  let lazies: [RowKey: ColumnMask]
  private var bytes = 0

  init(before: Connection, after: Connection, limit: Int, lazies: [RowKey: ColumnMask]) {
    (self.before, self.after, self.limit, self.lazies) = (before, after, limit, lazies)
  }

  mutating func add(_ rows: [Int64], _ model: EntityModel, to image: inout SaveImage) throws {
    let names = try after.columnNames(model)
    guard try before.columnNames(model) == names, names.contains("_edited") else {
      throw StoreError(.schemaMismatch, "The table of '\(model.name)' changed.")
    }
    let table = ImageTable(model, names)
    image.columns[model.number] = names
    for pk in rows {
      let key = RowKey(entity: model.number, pk: pk)
      let change: SaveImage.Change
      switch (try before.values(table.select, pk), try after.values(table.select, pk)) {
      case (nil, nil): continue
      case (nil, let values?): change = .inserted(try withLazies(values, table, pk, model.lazy, after))
      case (let values?, nil): change = .deleted(try withLazies(values, table, pk, model.lazy, before))
      case (var old?, var new?):
        if let written = lazies[key] {
          old = try withLazies(old, table, pk, written, before)
          new = try withLazies(new, table, pk, written, after)
        }
        let marks = table.marks
        let cells = names.indices.filter {
          $0 == marks || !table.isDerived($0) && !old[$0].isIdentical(to: new[$0])
        }
        guard cells.count > 1 || !old[marks].isIdentical(to: new[marks]) else { continue }
        change = .updated(cells.map { SaveImage.Cell(column: $0, before: old[$0], after: new[$0]) })
      }
      bytes += SaveImage.bytes(change)
      guard bytes <= limit else { throw Self.tooLarge }
      image.rows.append(.init(key: key, change: change))
    }
  }

  /// The values of a row, including lazy values. A lazy value that is too large for the image is not read.
  private func withLazies(
    _ values: [StoredValue], _ table: ImageTable, _ pk: Int64, _ mask: ColumnMask, _ connection: Connection
  ) throws -> [StoredValue] {
    var values = values
    var sum = bytes
    for index in mask.indices {
      guard let place = table.places[index] else { continue }
      let name = table.model.properties[index].name.quoted
      sum +=
        try connection.rows(
          "SELECT length(t.\(name)) FROM \(table.model.table) AS t WHERE t._pk = ?", [.integer(pk)]
        ) { Int($0.int64(0)) }.first ?? 0
      guard sum <= limit else { throw Self.tooLarge }
      values[place] =
        try connection.rows(table.model.selectLazy(index), [.integer(pk)]) { $0.value(0) }.first ?? .null
    }
    return values
  }

  private static var tooLarge: StoreError { StoreError(.outOfMemory, "The save is too large to be undone.") }

  /// - Parameter removals: Row ids of the table with removed pairs, which may be given twice: a pair is known by its two ends.
  func add(removals: [Int64], _ links: EntityModel, to image: inout SaveImage) throws {
    let ends = links.ends.map(\.name.quoted)
    let byRow = "SELECT \(ends.joined(separator: ", ")) FROM \(links.removedTable) WHERE rowid = ?"
    var pairs: Set<[StoredValue]> = []
    for row in removals {
      for connection in [before, after] {
        if let pair = try connection.values(byRow, row) { pairs.insert(pair) }
      }
    }
    let sql = SaveImage.selectRemoval(links)
    for pair in pairs {
      let marks = try [before, after].map { try $0.rows(sql, pair) { $0.value(0) }.first }
      if let old = marks[0], let new = marks[1], old.isIdentical(to: new) { continue }
      guard marks[0] != nil || marks[1] != nil else { continue }
      image.removals.append(.init(links: links.number, ends: pair, before: marks[0], after: marks[1]))
    }
  }

  func add(notes key: RowKey, _ schema: SchemaModel, to image: inout SaveImage) throws {
    let model = schema.entities[key.entity]
    let (old, new) = (try before.notes(model, key.pk), try after.notes(model, key.pk))
    if old != new { image.notes[key] = .init(before: old, after: new) }
  }

  func add(deletion key: RowKey, _ schema: SchemaModel, to image: inout SaveImage) throws {
    let model = schema.entities[key.entity]
    let (old, new) = (try before.deletion(model, key.pk), try after.deletion(model, key.pk))
    if old != new { image.deletions.append(.init(key: key, before: old, after: new)) }
  }
}

extension SaveImage {
  static func selectRemoval(_ links: EntityModel) -> String {
    "SELECT _edited FROM \(links.removedTable) WHERE "
      + links.ends.map { "\($0.name.quoted) IS ?" }.joined(separator: " AND ")
  }
}

extension Connection {
  /// The columns of a table, including columns of another version of the app. A prepared statement may have the names
  /// of an earlier schema.
  func columnNames(_ model: EntityModel) throws -> [String] {
    try rows("SELECT name FROM pragma_table_info(?, 'main') ORDER BY cid", [.text(model.name)]) { $0.text(0) ?? "" }
  }

  /// The values of the row that a statement finds by one number.
  func values(_ sql: String, _ pk: Int64) throws -> [StoredValue]? {
    let statement = try prepare(sql)
    defer { statement.reset() }
    try statement.bind(pk, at: 1)
    guard try statement.step() else { return nil }
    return (0..<statement.columnCount).map { statement.value($0) }
  }

  /// The notes of a row's local edits, by property.
  func notes(_ model: EntityModel, _ pk: Int64) throws -> [String: [StoredValue]] {
    let notes = try rows(
      "SELECT property, base, has_base, time, number, made FROM \(EditNotes.table) WHERE entity = ? AND pk = ?",
      [.text(model.name), .integer(pk)]
    ) { row in (row.text(0) ?? "", (1...5).map { row.value($0) }) }
    return Dictionary(notes, uniquingKeysWith: { first, _ in first })
  }
}
