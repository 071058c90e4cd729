import EntityJSON
import Foundation

extension RowWriter {
  /// Replaces all rows, and the notes of local edits and deletions, by those of an archive.
  ///
  /// - Throws: ``StoreError``; the transaction must end with it.
  func restore(_ source: ArchiveSource, discardsPending: Bool) throws -> ArchiveSummary {
    try empty(discardsPending: discardsPending)
    var restoring: ArchiveRestoring?
    try source.read { header, line in
      if restoring == nil { restoring = try ArchiveRestoring(self, header) }
      try restoring?.take(line)
    }
    for (model, count) in restoring?.counts ?? [] {
      try history.noteAll(model, .inserted)
      noteEmptied(model, count)
    }
    hasNotes = Array(repeating: nil, count: schema.entities.count)
    hasTombstones = hasNotes
    removals = [:]
    try restoring?.joinColumns()
    try checkTogether()
    try checkOneToOne()
    var summary = restoring?.summary ?? ArchiveSummary()
    for model in schema.entities where !model.isLinks { summary.objects[model.name, default: 0] += 0 }
    summary.pending = try connection.rows(EditNotes.count) { Int($0.int64(0)) }.first ?? 0
    return summary
  }
}

/// Writes the lines of an archive as rows.
private struct ArchiveRestoring {
  private enum Part {
    case rows(ArchiveColumns, Statement)
    case removed(EntityModel, Statement)
    case edits(Statement)
    case deletions(Statement)
    /// Of a relationship that the app removed.
    case nothing
  }

  private let rows: RowWriter
  private let schema: SchemaModel
  private var names: ArchiveNames
  private let range: ClosedRange<Int64>?
  /// The number that is added to a row id of the archive.
  private let shift: Int64
  private var part: Part?
  private(set) var summary = ArchiveSummary()
  private(set) var counts: [(EntityModel, Int)] = []
  /// The columns that are the other side of a one-to-one relationship in the app, with their links.
  private var formerLinks: [ArchivedLinks] = []

  init(_ rows: RowWriter, _ header: ArchiveHeader) throws {
    self.rows = rows
    schema = rows.schema
    names = try ArchiveNames(header, rows.schema)
    range = header.count > 0 ? header.firstRow...header.lastRow : nil
    shift = try rows.writer.reserve(header.count) - header.firstRow
  }

  mutating func take(_ line: Data) throws {
    guard let value = try? JSONValue(parsing: line) else { throw StoreError.damagedArchive("a line can't be read") }
    if let object = value.object { return try begin(try ArchiveSection(object)) }
    guard let values = value.array?.map({ StoredValue(archived: $0) }), !values.contains(nil), let part else {
      throw StoreError.damagedArchive("a line is no row")
    }
    try take(values.compactMap(\.self), part)
  }

  private mutating func begin(_ section: ArchiveSection) throws {
    func statement(_ sql: String) throws -> Statement { try Statement(sql, on: rows.connection) }
    switch section {
    case .rows(let name, let all, let renamed):
      guard let model = try names.entity(name) else {
        part = .nothing
        return
      }
      try names.add(Dictionary(all.map { ($0, renamed[$0]) }) { first, _ in first }, of: model)
      let columns = try ArchiveColumns(model, all, names)
      counts.append((columns.model, 0))
      for property in columns.counterparts.compactMap(\.self) {
        formerLinks.append(ArchivedLinks(model: columns.model, property: property))
      }
      part = .rows(columns, try statement(columns.insert))
    case .removed(let name):
      guard let model = try names.entity(name), model.isLinks else {
        part = .nothing
        return
      }
      let names = (["_edited"] + model.ends.map(\.name)).map(\.quoted).joined(separator: ", ")
      part = .removed(model, try statement("INSERT INTO \(model.removedTable) (\(names)) VALUES (?, ?, ?)"))
    case .edits:
      part = .edits(
        try statement(
          "INSERT INTO \(EditNotes.table) (entity, pk, property, base, has_base, time) VALUES (?, ?, ?, ?, ?, ?)"))
    case .deletions:
      part = .deletions(
        try statement("INSERT INTO \(Tombstones.table) (entity, pk, uid, time, cause) VALUES (?, ?, ?, ?, ?)"))
    }
  }

  private mutating func take(_ values: [StoredValue], _ part: Part) throws {
    switch part {
    case .nothing: return
    case .rows(let columns, let statement): try row(values, columns, statement)
    case .removed(let model, let statement):
      guard values.count == 3, case .text(let marks) = values[0], let owner = link(values[1]),
        let member = link(values[2])
      else { throw StoreError.damagedArchive("a pair can't be read") }
      try statement.run([.text(names.marks(marks, of: model)), owner, member])
    case .edits(let statement):
      guard values.count == 6, let (model, pk) = try subject(values), case .text(let name) = values[2] else {
        throw StoreError.damagedArchive("an edit can't be read")
      }
      if names.isObsolete(name, of: model) { return }
      let property = names.property(name, of: model)
      var base: StoredValue? = values[3]
      if let property, property.isCounterpart || model.links.contains(property.index) { base = link(values[3]) }
      guard let base else { throw StoreError.damagedArchive("an edit can't be read") }
      try statement.run([.text(model.name), pk, .text(property?.name ?? name), base, values[4], values[5]])
    case .deletions(let statement):
      guard values.count == 5, let (model, pk) = try subject(values), let cause = link(values[4]) else {
        throw StoreError.damagedArchive("a deletion can't be read")
      }
      try statement.run([.text(model.name), pk, values[2], values[3], cause])
    }
  }

  private mutating func row(_ values: [StoredValue], _ columns: ArchiveColumns, _ statement: Statement) throws {
    let model = columns.model
    guard values.count == columns.properties.count + 3, case .integer(let pk) = values[0], let newPK = row(pk),
      case .integer(let placeholder) = values[2], [0, 1].contains(placeholder)
    else { throw StoreError.damagedArchive("a row of '\(model.name)' can't be read") }
    // An entity may have got properties, or lost them.
    let isPlaceholder = placeholder == 1 && model.hasPlaceholders
    var bound: [StoredValue] = [.integer(newPK), values[1], .integer(isPlaceholder ? 1 : 0)]
    if case .text(let marks) = values[1] {
      let marks = names.marks(marks, of: model)
      bound[1] = marks.isEmpty ? .null : .text(marks)
    }
    var uid: [Int: StoredValue] = [:]
    for (property, value) in zip(columns.counterparts, values.dropFirst(3)) {
      guard let property, let target = link(value), case .integer(let pk) = target,
        let place = formerLinks.lastIndex(where: { $0.model === model && $0.property.index == property.index })
      else { continue }
      formerLinks[place].links.append((newPK, pk))
    }
    var own = RowValues(count: model.derived.isEmpty ? 0 : model.properties.count)
    for (property, value) in zip(columns.properties, values.dropFirst(3)) {
      guard let property = property.map({ model.properties[$0] }) else { continue }
      guard let value = property.archived(value, isPlaceholder: isPlaceholder, row: row) else {
        throw StoreError(
          .schemaMismatch, "The archive has a value of '\(model.name).\(property.name)' that the property can't have.")
      }
      bound.append(value)
      if !model.derived.isEmpty { own[property.index] = value }
      if model.identity.contains(property.index) { uid[property.index] = value }
    }
    for index in columns.lacking {
      let value = model.properties[index].defaultValue
      bound.append(value)
      if !model.derived.isEmpty { own[index] = value }
      if model.identity.contains(index) { uid[index] = value }
    }
    if let parts = model.uidParts { bound.append(UIDParts.uid(parts.parts.lazy.map { uid[$0.index] ?? .null })) }
    if !model.derived.isEmpty {
      own = rows.withDerived(model, own)
      bound += model.derived.indices.map { own[$0] }
    }
    try statement.run(bound)
    counts[counts.count - 1].1 += 1
    if !isPlaceholder, !model.isLinks { summary.objects[model.name, default: 0] += 1 }
  }

  /// Links the objects that only a column of an earlier version of the app linked.
  func joinColumns() throws { for links in formerLinks { try rows.join(links) } }

  // MARK: Row ids

  /// The row id that one of the archive has become; `nil` for one that it can't have.
  private func row(_ pk: Int64) -> Int64? { range?.contains(pk) == true ? pk + shift : nil }

  private func link(_ value: StoredValue) -> StoredValue? {
    switch value {
    case .null: .null
    case .integer(let pk): row(pk).map(StoredValue.integer)
    default: nil
    }
  }

  /// The object that a note is about.
  private func subject(_ values: [StoredValue]) throws -> (EntityModel, StoredValue)? {
    guard case .text(let name) = values[0], case .integer(let pk) = values[1], let own = row(pk),
      let model = try names.entity(name)
    else { return nil }
    return (model, .integer(own))
  }
}
