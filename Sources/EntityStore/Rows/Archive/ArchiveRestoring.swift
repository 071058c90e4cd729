import EntityJSON
import Foundation

extension RowReplacement {
  /// Replaces all rows, and the notes of local edits and deletions, by those of an archive.
  ///
  /// - Parameter removed: The names of the entities that the app removed.
  /// - Throws: ``StoreError``; the transaction must end with it.
  func restore(
    _ source: ArchiveSource, removed: [String], discardsPending: Bool
  ) throws -> ArchiveSummary {
    try empty(discardsPending: discardsPending)
    var restoring: ArchiveRestoring?
    try source.read { header, line in
      if restoring == nil { restoring = try ArchiveRestoring(rows, header, removed: removed) }
      try restoring?.take(line)
    }
    for (model, count) in restoring?.counts ?? [] {
      try rows.history.noteAll(model, .inserted)
      rows.noteEmptied(model, count)
    }
    rows.edits.forget()
    rows.pairs.removals = [:]
    try restoring?.end()
    try rows.uniqueness.checkTogether()
    try rows.uniqueness.checkOneToOne()
    try ArchiveCheck(connection: rows.connection, schema: rows.schema).run()
    var summary = restoring?.summary ?? ArchiveSummary()
    for model in rows.schema.declared { summary.objects[model.name, default: 0] += 0 }
    summary.pending = try rows.connection.rows(EditNotes.count) { Int($0.int64(0)) }.first ?? 0
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
    case outbox(Statement)
    /// The relationship was removed from the app.
    case nothing
  }

  private let rows: RowWriter
  private let schema: SchemaModel
  private var names: ArchiveNames
  private var ids: ArchivedRows
  private var part: Part?
  private(set) var summary = ArchiveSummary()
  private(set) var counts: [(EntityModel, Int)] = []
  /// The columns of the archive that are a side without a column of a one-to-one relationship in the app, with their
  /// links.
  private var formerLinks: [ArchivedLinks] = []
  /// The properties of which the archive does not say whether a response had them.
  private var uncovered: [(EntityModel, PropertyModel)] = []

  init(_ rows: RowWriter, _ header: ArchiveHeader, removed: [String]) throws {
    self.rows = rows
    schema = rows.schema
    names = try ArchiveNames(header, rows.schema, removed: removed)
    ids = ArchivedRows(header, from: try rows.writer.reserve(0))
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
      uncovered += columns.uncovered.map { (model, $0) }
      part = .rows(columns, try statement(columns.insert))
    case .removed(let name):
      guard let model = try names.entity(name) else {
        part = .nothing
        return
      }
      guard model.isLinks else { throw StoreError.damagedArchive("'\(name)' is no relationship that has pairs") }
      let names = (["_edited"] + model.ends.map(\.name)).map(\.quoted).joined(separator: ", ")
      part = .removed(model, try statement("INSERT INTO \(model.removedTable) (\(names)) VALUES (?, ?, ?)"))
    case .edits:
      part = .edits(try statement("\(EditNotes.into) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"))
    case .deletions:
      part = .deletions(
        try statement(
          "INSERT INTO \(Tombstones.table) (entity, pk, uid, time, cause, number, address) VALUES (?, ?, ?, ?, ?, ?, ?)"
        ))
    case .outbox: part = .outbox(try statement(OutboxArchive.insert))
    }
  }

  private mutating func take(_ values: [StoredValue], _ part: Part) throws {
    switch part {
    case .nothing: return
    case .rows(let columns, let statement): try row(values, columns, statement)
    case .removed(let model, let statement):
      guard values.count == 3, let marks = marks(values[0], of: model), !marks.isNull, let owner = ids.link(values[1]),
        let member = ids.link(values[2]), !owner.isNull, !member.isNull
      else { throw StoreError.damagedArchive("a pair can't be read") }
      try write(statement, [marks, owner, member])
    case .edits(let statement): try edit(values, statement)
    case .deletions(let statement): try deletion(values, statement)
    case .outbox(let statement): try entry(values, statement)
    }
  }

  private mutating func edit(_ values: [StoredValue], _ statement: Statement) throws {
    guard values.count == 8, case .text(let entity) = values[0], case .integer(let pk) = values[1],
      case .text(let name) = values[2], case .integer(let hasBase) = values[4], [0, 1].contains(hasBase),
      Self.isTime(values[5]) || values[5].isNull, let number = try commit(values[6]), let made = try commit(values[7])
    else { throw StoreError.damagedArchive("an edit can't be read") }
    guard let model = try names.entity(entity) else { return }
    guard !model.isLinks, let own = ids.take(pk) else { throw StoreError.damagedArchive("an edit can't be read") }
    // The note of an object that was made here names no property.
    if name.isEmpty {
      guard hasBase == 0, values[3].isNull else { throw StoreError.damagedArchive("an edit can't be read") }
      return try write(
        statement, [.text(model.name), .integer(own), values[2], .null, .integer(0), values[5], number, made])
    }
    guard let property = names.property(name, of: model), !property.isDerived else { return }
    guard let base = self.base(values[3], of: property, model), hasBase == 1 || base.isNull else {
      throw StoreError.damagedArchive("an edit can't be read")
    }
    try write(
      statement,
      [.text(model.name), .integer(own), .text(property.name), base, .integer(hasBase), values[5], number, made])
  }

  /// The number of a commit for its place in the archive.
  private func commit(_ place: StoredValue) throws -> StoredValue? {
    ArchivedCommits.number(place, last: try rows.stamp.number()).map { .integer($0) }
  }

  /// The base of an edit of a property; `nil` where the property can't have had the value.
  private func base(_ value: StoredValue, of property: PropertyModel, _ model: EntityModel) -> StoredValue? {
    if value.isNull { return .null }
    if property.isCounterpart || model.links.contains(property.index) { return ids.link(value) }
    guard property.isStored, !property.isComposite else { return value }
    return property.archived(value, isPlaceholder: false, rows: ids)
  }

  private mutating func deletion(_ values: [StoredValue], _ statement: Statement) throws {
    guard values.count == 7, case .text(let entity) = values[0], case .integer(let pk) = values[1],
      Self.isTime(values[3]), let number = try commit(values[5])
    else { throw StoreError.damagedArchive("a deletion can't be read") }
    guard let model = try names.entity(entity) else { return }
    guard let address = address(values[6], of: model), let index = model.uid, let own = ids.take(pk),
      let cause = cause(values[4]), !values[2].isNull,
      let uid = base(values[2], of: model.properties[index], model)
    else { throw StoreError.damagedArchive("a deletion can't be read") }
    try write(statement, [.text(model.name), .integer(own), uid, values[3], cause, number, address])
  }

  /// The address of a deleted object, with present names.
  private func address(_ value: StoredValue, of model: EntityModel) -> StoredValue? {
    guard case .text(let text) = value else { return value.isNull ? .null : nil }
    let address = ObjectAddress(text)?.renamed { names.property($0, of: model)?.name ?? $0 }
    return address.flatMap(\.text).map { .text($0) }
  }

  private mutating func entry(_ values: [StoredValue], _ statement: Statement) throws {
    guard values.count > 1, case .text(let entity) = values[0], case .integer(let pk) = values[1] else {
      throw StoreError.damagedArchive("an entry of the outbox can't be read")
    }
    guard let model = try names.entity(entity) else { return }
    let (names, ids) = (names, ids)
    guard !model.isLinks, let own = self.ids.take(pk),
      let entry = try OutboxArchive(names: names, rows: ids, last: rows.stamp.number()).entry(values, model, own)
    else { throw StoreError.damagedArchive("an entry of the outbox can't be read") }
    try statement.run(entry)
  }

  /// The row id of the object whose deletion took another one with it.
  private mutating func cause(_ value: StoredValue) -> StoredValue? {
    guard case .integer(let pk) = value else { return value.isNull ? .null : nil }
    return ids.take(pk).map(StoredValue.integer)
  }

  private static func isTime(_ value: StoredValue) -> Bool {
    if case .real(let seconds) = value { seconds.isFinite } else { false }
  }

  /// Writes a note. An archive has each note once.
  private func write(_ statement: Statement, _ values: [StoredValue]) throws {
    do { try statement.run(values) } catch let error as StoreError where error.kind == .uniqueViolation {
      throw StoreError.damagedArchive("a note stands there twice")
    }
  }

  /// The marks of a row or a pair, with present names; `nil` for a value that can't be marks.
  private func marks(_ value: StoredValue, of model: EntityModel) -> StoredValue? {
    guard case .text(let names) = value else { return value.isNull ? .null : nil }
    let marks = self.names.marks(names, of: model)
    return marks.isEmpty ? .null : .text(marks)
  }

  /// The properties that no response ever had, with present names.
  private func missing(_ value: StoredValue, of model: EntityModel) -> StoredValue {
    guard case .text(let names) = value else { return .null }
    let missing = self.names.missing(names, of: model)
    return missing.isEmpty ? .null : .text(missing)
  }

  private mutating func row(_ values: [StoredValue], _ columns: ArchiveColumns, _ statement: Statement) throws {
    let model = columns.model
    guard values.count == columns.properties.count + 3, case .integer(let pk) = values[0], let newPK = ids.take(pk),
      let marks = marks(values[1], of: model), case .integer(let placeholder) = values[2], [0, 1].contains(placeholder)
    else { throw StoreError.damagedArchive("a row of '\(model.name)' can't be read") }
    // The entity may have gained or lost properties since the archive was written.
    let isPlaceholder = placeholder == 1 && model.hasPlaceholders
    var bound: [StoredValue] = [.integer(newPK), marks, .integer(isPlaceholder ? 1 : 0)]
    var uid: [Int: StoredValue] = [:]
    for (property, value) in zip(columns.counterparts, values.dropFirst(3)) {
      guard let property, let target = ids.link(value), case .integer(let pk) = target,
        let place = formerLinks.lastIndex(where: { $0.model === model && $0.property.index == property.index })
      else { continue }
      formerLinks[place].links.append((newPK, pk))
    }
    var own = RowValues(count: model.derived.isEmpty ? 0 : model.properties.count)
    for (property, value) in zip(columns.properties, values.dropFirst(3)) {
      guard let property = property.map({ model.properties[$0] }) else { continue }
      guard let value = property.archived(value, isPlaceholder: isPlaceholder, rows: ids) else {
        throw StoreError(
          .schemaMismatch, "The archive has a value of '\(model.name).\(property.name)' that the property can't have.")
      }
      bound.append(property.isCoverage ? missing(value, of: model) : value)
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
      let sources = own
      model.derive(model.derived, from: sources, into: &own)
      bound += model.derived.indices.map { own[$0] }
    }
    try statement.run(bound)
    counts[counts.count - 1].1 += 1
    if !isPlaceholder, !model.isLinks { summary.objects[model.name, default: 0] += 1 }
  }

  /// All lines were taken in.
  func end() throws {
    // Links the objects that only a column of an earlier version of the app linked.
    for links in formerLinks { try links.join(rows) }
    for (model, property) in uncovered {
      try rows.connection.execute(CoverageSetup.naming(property, in: model.name, model.hasPlaceholders))
    }
    _ = try rows.writer.reserve(ids.end - ids.first)
  }
}
