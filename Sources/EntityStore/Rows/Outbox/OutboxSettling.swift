// The changes of rows and marks that the end of an entry brings.

extension RowOutbox {
  /// The properties of an object that were edited after a request was made.
  ///
  /// - Parameter number: The highest number of the object's edits when the request was made.
  package func editedSince(_ number: Int64, _ key: RowKey) throws -> ColumnMask {
    let model = schema.entities[key.entity]
    let names = try connection.rows(
      "SELECT property FROM \(EditNotes.table) WHERE entity = ? AND pk = ? AND number > ?",
      [.text(model.name), .integer(key.pk), .integer(number)]
    ) { $0.text(0) ?? "" }
    return names.compactMap(model.index(of:)).reduce(into: ColumnMask()) { $0.insert($1) }
  }

  /// The properties of an object that commands changed, and nobody has edited since.
  package func effects(on key: RowKey) throws -> ColumnMask {
    guard try hasAny() else { return ColumnMask() }
    return try properties(of: key, where: OutboxTable.isEffect, [])
  }

  /// The numbers of the edits of an object that was made here, and of the effects of the commands that were given to it. The
  /// object had one number for all of them, that of the last commit.
  ///
  /// A property whose value is the one that a command left is an effect of that command.
  ///
  /// - Parameter last: The number of the last commit.
  /// - Returns: The numbers of the effects by property, and the number of the edits, which is that of no command; `nil` where
  ///   the object has no commands.
  func numbers(of model: EntityModel, _ pk: Int64, after last: Int64) throws -> (effects: [Int: Int64], edits: Int64)? {
    let commands = try entries(of: RowKey(entity: model.number, pk: pk)).filter { $0.kind == .command }
    guard !commands.isEmpty, let found = try rows.find(model, pk: pk) else { return nil }
    let (_, values) = found.read(model, model.stored)
    var effects: [Int: Int64] = [:]
    for command in commands {
      let names = Set(OutboxEntry.properties(in: command.sent).compactMap(model.index(of:)))
      let sent = command.sent.flatMap {
        SentEdits(stored: $0, model, pk: pk, schema, endsInsertion: false, editedSince: ColumnMask())
      }
      for index in names {
        // Nothing was edited after the last commit. Lists have no value that could be compared.
        let isLeft =
          sent.map { $0.values.mask.contains(index) && values[index].isIdentical(to: $0.values[index]) } ?? false
        if command.edited == last || isLeft { effects[index] = command.edited }
      }
      sent?.marker.end()
    }
    var edits = last
    while commands.contains(where: { $0.edited == edits }) { edits -= 1 }
    return (effects, edits)
  }

  /// The values that a drop of a command which is given now brings back, where no response has told others: those in the file of
  /// an object that was made here, but for lists and lazy values. The effect of an earlier command is none of them, because the
  /// server that takes that command tells of it.
  package func formerValues(of key: RowKey, isMadeHere: Bool) throws -> RowValues {
    let model = schema.entities[key.entity]
    let (mask, none) = (model.stored.subtracting(model.lazy), RowValues(count: model.properties.count))
    guard let now = try rows.find(model, pk: key.pk)?.read(model, mask).values else { return none }
    var values = isMadeHere ? now : none
    for command in try entries(of: key) where command.kind == .command {
      let (former, effects) = SentEdits.values(in: command.sent, model)
      let kept = former.mask.indices.filter { now[$0].isIdentical(to: effects[$0]) }
      for index in kept { values[index] = former[index] }
    }
    return values
  }

  /// Takes the effect of a command back, but for properties that were edited since.
  package func discardEffects(of command: OutboxEntry) throws {
    let mask = try properties(of: command.key, where: "_edit.number = ?3", [.integer(command.edited)])
    guard !mask.isEmpty else { return }
    let former = SentEdits.values(in: command.sent, schema.entities[command.key.entity]).former
    try rows.pending.discard(command.key, mask, unheard: former)
  }

  private func properties(of key: RowKey, where condition: String, _ values: [StoredValue]) throws -> ColumnMask {
    let model = schema.entities[key.entity]
    let names = try connection.rows(
      "SELECT property FROM \(EditNotes.table) AS _edit WHERE entity = ?1 AND pk = ?2 AND \(condition)",
      [.text(model.name), .integer(key.pk)] + values
    ) { $0.text(0) ?? "" }
    return names.compactMap(model.index(of:)).reduce(into: ColumnMask()) { $0.insert($1) }
  }

  /// Ends the edits of the uid of an object that was made here with a uid, and that the server has by now. An edit that
  /// gives an object of the server another uid has a base, and stays.
  ///
  /// - Returns: The properties of the edits that ended.
  package func endNaming(of key: RowKey) throws -> ColumnMask {
    let model = schema.entities[key.entity]
    guard let row = try rows.current(model, pk: key.pk), !row.marks.isNew else { return ColumnMask() }
    var ended = ColumnMask()
    for index in row.edited.intersection(model.identity).indices {
      if try rows.edits.editNote(model, key.pk, model.properties[index].name)?.base == nil { ended.insert(index) }
    }
    if !ended.isEmpty { try rows.edits.acknowledge(model, pk: key.pk, ended) }
    return ended
  }

  /// The number of the running unit's commit, which its edits have.
  package func number() throws -> Int64 { try rows.stamp.number() }

  /// Takes the pending changes of an object back, as `EntityStore.pending` does, and those of the objects that are
  /// embedded in it: they are sent with it. The effects of commands go with their commands.
  package func discardChanges(of key: RowKey) throws {
    let embedded = try EmbeddedOwners(connection, schema).withEmbedded([key]).subtracting([key])
    let effects = try effects(on: key)
    let edited = try effects.isEmpty ? nil : rows.current(schema.entities[key.entity], pk: key.pk)?.edited
    try rows.pending.discard(key, edited?.subtracting(effects))
    for key in embedded.sorted(by: { ($0.entity, $0.pk) < ($1.entity, $1.pk) }) { try rows.pending.discard(key, nil) }
  }

  /// Makes an object of the server one that was made here, with all its values: the server does not have it any more.
  ///
  /// A number that the server gave as the uid goes, because the server gives another one. A uid of another type may
  /// have been made here, and stays.
  package func makeNew(_ key: RowKey) throws {
    let model = schema.entities[key.entity]
    let columns = model.stored.union(model.lists)
    guard let (row, values) = try rows.find(model, pk: key.pk)?.read(model, model.stored), !row.marks.isNew
    else { return }
    try rows.checks.checkLazies()
    var marks = row.marks
    marks.isNew = true
    for index in columns.indices where !model.hidden.contains(index) {
      if model.lists.contains(index) || model.lazy.contains(index) || !values[index].isNull {
        marks.known.insert(index)
      }
    }
    if let uid = model.uid, case .integer = values[uid] {
      var cleared = RowValues(count: model.properties.count)
      cleared[uid] = .null
      if let found = try rows.find(model, pk: key.pk) { _ = try rows.update(model, found, cleared, .effect) }
      marks.known.subtract(model.identity)
    }
    try rows.edits.dropNotes(model, key.pk)
    guard let present = try rows.current(model, pk: key.pk) else { return }
    try rows.edits.setMarks(model, present, marks, told: marks.known)
  }
}
