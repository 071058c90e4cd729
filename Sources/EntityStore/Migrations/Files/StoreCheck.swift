/// The check of a store's file, which ``EntityStore/EntityStore/check(_:)`` makes.
public enum StoreCheck {
  /// How much ``EntityStore/EntityStore/check(_:)`` compares.
  public enum Depth: Sendable, Hashable {
    /// All pages of the file, and the store's own tables.
    case quick
    /// Also indexes with their tables, the words of full-text searches with the texts, each value with its property's type,
    /// and the store's own columns: which properties no response had, and when one last had the object.
    case full
  }

  /// A mistake in the file of a store, as ``EntityStore/EntityStore/check(_:)`` finds it. It names no values.
  public struct Problem: Sendable, Hashable, CustomStringConvertible {
    public enum Kind: Sendable, Hashable {
      /// Pages, rows or indexes that SQLite can't make sense of.
      case damage
      /// A link that leads to a row that is not there.
      case brokenLink
      /// A table, a column or an index that is not as the file's own schema says.
      case structure
      /// The store's own tables name rows that do not exist, or row ids that are already used.
      case bookkeeping
      /// Objects with equal values that are unique together. Another program wrote them, or a version of the app that
      /// does not declare the rule, or a process whose version of this package does not know such rules. Two objects with
      /// the same object in a one-to-one relationship count too: the problem's object is the second one.
      case uniqueness
      /// A full-text search finds the object by words that it does not have, or does not find it. Another program wrote
      /// the row without the triggers of the index; see <doc:SearchingText>. Without an object: the words are right, and
      /// their count is wrong, so that a deletion may be refused.
      case search
      /// An object has a value that does not have its property's type: JSON that the type does not decode, or a text in
      /// place of a number. The property reads as its default, and keeps the value until another value is set; see
      /// ``ManagedEntity/isUnreadable(_:)``.
      case unreadable
    }

    public let kind: Kind
    /// The object, if the mistake is in one object.
    public let object: AnyEntityID?
    /// The mistake in words.
    public let text: String

    public var description: String { text }
  }
}

/// Looks for mistakes in the file.
struct FileCheck {
  let connection: Connection
  let schema: SchemaModel
  /// The entities whose declared index is missing, in a file that is only read.
  let unsearchable: Set<String>

  /// The most problems of each kind: nobody reads more.
  private static let most = 100

  func problems(_ depth: StoreCheck.Depth) throws -> [StoreCheck.Problem] {
    var problems = try found(.damage) { try damage(depth) }
    // With a damaged page, checks of rows would prove nothing.
    guard problems.isEmpty else { return problems }
    problems += try found(.brokenLink) { try brokenLinks() }
    problems += try found(.structure) { try structure() }
    guard problems.isEmpty else { return problems }
    problems += try found(.bookkeeping) {
      try [usedIDs(), lostNotes(), lostEntries(), deletedRows(), lostMembers(), clashes(), twins()].flatMap {
        $0.prefix(Self.most)
      }
    }
    if depth == .full {
      problems += try found(.damage) { try wrongWords() }
      problems += try found(.damage) { try unreadable() }
      problems += try found(.damage) {
        try OwnColumnCheck(connection: connection, schema: schema).problems(most: Self.most)
      }
    }
    return problems
  }

  /// A file may be so damaged that the check itself fails.
  private func found(_ kind: StoreCheck.Problem.Kind, _ look: () throws -> [StoreCheck.Problem]) throws -> [StoreCheck
    .Problem]
  {
    do {
      return try look()
    } catch let error as StoreError where [.corrupt, .schemaMismatch, .notAStore].contains(error.kind) {
      let kind = error.kind == .schemaMismatch ? .structure : StoreCheck.Problem.Kind.damage
      return [StoreCheck.Problem(kind: kind, object: nil, text: error.message)]
    }
  }

  private func damage(_ depth: StoreCheck.Depth) throws -> [StoreCheck.Problem] {
    try connection.damage(isFull: depth == .full, most: Self.most).map {
      StoreCheck.Problem(kind: .damage, object: nil, text: "SQLite: \($0)")
    }
  }

  private func brokenLinks() throws -> [StoreCheck.Problem] {
    var problems: [StoreCheck.Problem] = []
    let statement = try connection.prepare("PRAGMA main.foreign_key_check")
    defer { statement.reset() }
    while problems.count < Self.most, try statement.step() {
      let (table, row, target) = (statement.text(0) ?? "?", statement.optionalInt64(1), statement.text(2) ?? "?")
      problems.append(
        StoreCheck.Problem(
          kind: .brokenLink, object: row.flatMap { id(table, $0) },
          text: "Row \(row.map(String.init) ?? "?") of '\(table)' refers to a '\(target)' that is not there."))
    }
    return problems
  }

  private func structure() throws -> [StoreCheck.Problem] {
    let text = try connection.rows("SELECT value FROM main._entity_store WHERE key = 'schema'") { $0.text(0) }.first
    guard let text = text ?? nil, let stored = try? StoredSchema.decode(text) else {
      return [StoreCheck.Problem(kind: .structure, object: nil, text: "The file does not say what schema it holds.")]
    }
    let difference = try StructureCheck(schema: stored, connection: connection).difference()
    let problems = difference.map {
      [
        StoreCheck.Problem(
          kind: .structure, object: nil, text: "The file is not as the schema that it keeps says: \($0).")
      ]
    }
    return try problems
      ?? search.differing().map {
        StoreCheck.Problem(
          kind: .structure, object: nil,
          text: "The index of the full-text search of '\($0)', or one of its triggers, is gone or is another one.")
      }
  }

  private var search: SearchCheck {
    SearchCheck(connection: connection, schema: schema, unsearchable: unsearchable)
  }

  private func wrongWords() throws -> [StoreCheck.Problem] {
    try schema.entities.compactMap(\.search).filter { !unsearchable.contains($0.entity) }.flatMap { try wrongWords($0) }
  }

  private func wrongWords(_ model: SearchModel) throws -> [StoreCheck.Problem] {
    switch try search.difference(model, most: Self.most) {
    case nil: return []
    case .rows(let rows):
      return rows.map { pk in
        StoreCheck.Problem(
          kind: .search, object: id(model.entity, pk),
          text: "The full-text search finds row \(pk) of '\(model.entity)' by other words than the row has.")
      }
    case .numbers:
      return [
        StoreCheck.Problem(
          kind: .search, object: nil,
          text:
            "The index of the full-text search of '\(model.entity)' counts other rows or words than there are, and may "
            + "refuse a deletion. A new step at the end of the migrations, which may be empty, makes it anew.")
      ]
    }
  }

  private func unreadable() throws -> [StoreCheck.Problem] {
    try UnreadableValues(connection: connection, schema: schema).found(most: Self.most).flatMap { found in
      found.rows.map { pk in
        StoreCheck.Problem(
          kind: .unreadable, object: id(found.model.name, pk),
          text: "Row \(pk) of '\(found.model.name)' has a value of '\(found.property.name)' that is none of its type.")
      }
    }
  }

  /// Row ids that would be given out a second time.
  private func usedIDs() throws -> [StoreCheck.Problem] {
    let next = try connection.rows("SELECT value FROM main._entity_store WHERE key = 'next_pk'") { $0.int64(0) }.first
    guard let next else { return [bookkeeping("The store's own table lacks 'next_pk'.")] }
    return try schema.entities.compactMap { model in
      let last = try connection.rows("SELECT max(_pk) FROM \(model.table)") { $0.optionalInt64(0) }.first ?? nil
      guard let last, last >= next else { return nil }
      return bookkeeping(
        "Row \(last) of '\(model.name)' has a row id that is to be given out once more.", id(model.name, last))
    }
  }

  private func lostNotes() throws -> [StoreCheck.Problem] {
    try rows(EditNotes.table, inTable: false).map { name, pk in
      bookkeeping("There is a note of a local edit of row \(pk) of '\(name)', which is not there.", id(name, pk))
    }
  }

  private func lostEntries() throws -> [StoreCheck.Problem] {
    try schema.declared.flatMap { model in
      try connection.rows("\(OutboxTable.lost(model.table)) LIMIT \(Self.most)", [.text(model.name)]) { row in
        bookkeeping(
          "There is an entry of the outbox about an update of row \(row.int64(0)) of '\(model.name)', which is not there.",
          id(model.name, row.int64(0)))
      }
    }
  }

  private func deletedRows() throws -> [StoreCheck.Problem] {
    try rows(Tombstones.table, inTable: true).map { name, pk in
      bookkeeping("Row \(pk) of '\(name)' is there, and noted as deleted.", id(name, pk))
    }
  }

  /// Members of stored collections that are no rows of the collection's entity, and not deleted here.
  private func lostMembers() throws -> [StoreCheck.Problem] {
    let named = try schema.declared.flatMap { model in
      try connection.rows(
        "SELECT DISTINCT m.pk FROM \(CollectionTables.table) AS c JOIN \(CollectionTables.memberTable) AS m "
          + "ON m.collection = c.id WHERE c.entity = ?1 AND \(CollectionTables.isLost(of: model.name)) "
          + "LIMIT \(Self.most)", [.text(model.name)]
      ) { row in
        bookkeeping(
          "A stored collection has row \(row.int64(0)) of '\(model.name)', which is not there.",
          id(model.name, row.int64(0)))
      }
    }
    let unnamed = try connection.rows(
      "SELECT DISTINCT m.pk FROM \(CollectionTables.memberTable) AS m WHERE NOT EXISTS "
        + "(SELECT 1 FROM \(CollectionTables.table) AS c WHERE c.id = m.collection) LIMIT \(Self.most)"
    ) { bookkeeping("Row \($0.int64(0)) is in a collection that is not there.") }
    return named + unnamed
  }

  /// The rows that a table of notes names, and that are in their entity's table, or are not in it.
  private func rows(_ notes: String, inTable: Bool) throws -> [(entity: String, pk: Int64)] {
    var found: [(entity: String, pk: Int64)] = []
    for model in schema.entities where found.count < Self.most {
      found += try connection.rows(
        "SELECT DISTINCT _notes.pk FROM \(notes) AS _notes WHERE _notes.entity = ? AND \(inTable ? "" : "NOT ")"
          + "EXISTS (SELECT 1 FROM \(model.table) AS _row WHERE _row._pk = _notes.pk) LIMIT \(Self.most)",
        [.text(model.name)]
      ) { (model.name, $0.int64(0)) }
    }
    return found
  }

  private func clashes() throws -> [StoreCheck.Problem] {
    try schema.entities.flatMap { model in
      try model.together.flatMap { index in
        try connection.rows(
          "SELECT min(_pk), max(_pk) \(IndexModel.clashes(model.table, index.names, index.condition)) LIMIT \(Self.most)"
        ) { row in
          StoreCheck.Problem(
            kind: .uniqueness, object: id(model.name, row.int64(1)),
            text: "Rows \(row.int64(0)) and \(row.int64(1)) of '\(model.name)' are alike in "
              + "\(IndexModel.label(model.name, index.names)), which are unique together.")
        }
      }
    }
  }

  /// Rows with the same target in a one-to-one relationship.
  private func twins() throws -> [StoreCheck.Problem] {
    try schema.entities.flatMap { model in
      try model.oneToOne.indices.flatMap { property in
        let name = model.properties[property].name
        return try connection.rows(
          "SELECT min(_pk), max(_pk) \(OneToOne.twins(model.table, name.quoted)) LIMIT \(Self.most)"
        ) { row in
          StoreCheck.Problem(
            kind: .uniqueness, object: id(model.name, row.int64(1)),
            text:
              "Rows \(row.int64(0)) and \(row.int64(1)) of '\(model.name)' have the same object in '\(name)', which is "
              + "one-to-one.")
        }
      }
    }
  }

  private func bookkeeping(_ text: String, _ object: AnyEntityID? = nil) -> StoreCheck.Problem {
    StoreCheck.Problem(kind: .bookkeeping, object: object, text: text)
  }

  /// `nil` for a table without an entity: the table of a many-to-many relationship, or of a removed entity.
  private func id(_ table: String, _ pk: Int64) -> AnyEntityID? {
    schema.declared.first { $0.name == table }?.id(pk)
  }
}
