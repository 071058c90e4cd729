/// Reads the facts of objects with pending changes: a query for each entity, and one for each kind of fact about its
/// relationships.
struct OutboxFacts {
  private let connection: Connection
  private let schema: SchemaModel
  private var owners: EmbeddedOwners
  /// The facts of rows, embedded ones too, each with its own links.
  private var rows: [RowKey: PendingFacts] = [:]

  init(_ connection: Connection, _ schema: SchemaModel) {
    (self.connection, self.schema) = (connection, schema)
    owners = EmbeddedOwners(connection, schema)
  }

  /// - Parameter keys: The objects; `nil` for all. An embedded object stands for the object that it is sent with.
  mutating func facts(of keys: Set<RowKey>?) throws -> [RowKey: PendingFacts] {
    guard let keys else {
      try read(nil)
      return try sent()
    }
    try owners.read(keys)
    let senders = Set(keys.map(owners.sender))
    try read(try owners.withEmbedded(senders))
    return try sent().filter { senders.contains($0.key) }
  }

  private mutating func read(_ keys: Set<RowKey>?) throws {
    let pks = keys.map { Dictionary(grouping: $0, by: \.entity).mapValues { $0.map(\.pk) } }
    for model in schema.declared {
      let wanted = pks.map { $0[model.number] ?? [] }
      guard wanted?.isEmpty != true else { continue }
      let chosen = try changed(model, wanted)
      try deleted(model, wanted)
      guard !chosen.isEmpty else { continue }
      try formerTargets(model, wanted)
      for property in model.properties { try members(property, model, chosen) }
    }
    try forgetCausesThatAreOver()
  }

  /// The filter of a query of notes, whose second parameter are the row ids.
  private func filter(_ pks: [Int64]?) -> String {
    pks == nil ? "" : " AND pk IN (SELECT value FROM _entity_values(?2))"
  }

  private func values(_ model: EntityModel, _ pks: [Int64]?) -> [StoredValue] {
    [.text(model.name)] + (pks.map { [.pks($0)] } ?? [])
  }

  // MARK: Rows

  /// The objects of an entity that were made or edited here.
  private mutating func changed(_ model: EntityModel, _ pks: [Int64]?) throws -> [PendingFacts] {
    let links = model.links.subtracting(model.hidden).indices.map { model.properties[$0] }
    let columns = [model.uid.map { "_row." + model.properties[$0].name.quoted } ?? "NULL"]
    let names = (columns + links.map { "_row." + $0.name.quoted }).joined(separator: ", ")
    let statement = try connection.prepare(
      "SELECT _row._pk, _row._edited, _note.number, \(names) FROM (SELECT pk, "
        + "max(CASE WHEN NOT \(OutboxTable.isEffect) THEN number END) AS number "
        + "FROM \(EditNotes.table) AS _edit WHERE entity = ?1\(filter(pks)) GROUP BY pk) AS _note "
        + "CROSS JOIN \(model.table) AS _row ON _row._pk = _note.pk")
    defer { statement.reset() }
    try statement.bind(values(model, pks))
    var found: [PendingFacts] = []
    while try statement.step() {
      let marks = model.edited(statement)
      // A newer version of the app made the other edits.
      guard marks.isNew || !marks.known.isEmpty else { continue }
      var facts = PendingFacts(
        key: RowKey(entity: model.number, pk: statement.int64(0)), kind: marks.isNew ? .insert : .edit,
        uid: model.uidType.flatMap { statement.value(3).uidText($0) }, number: statement.int64(2),
        edited: marks.known.subtracting(model.hidden))
      for (place, link) in links.enumerated() where marks.isNew || marks.known.contains(link.index) {
        guard let pk = statement.optionalInt64(4 + place), let target = link.target else { continue }
        facts.links.append(
          .init(
            property: link.index, target: RowKey(entity: target, pk: pk), isRequired: link.isRequired))
      }
      rows[facts.key] = facts
      found.append(facts)
    }
    return try withoutEffects(model, pks, found)
  }

  /// The facts without the effects of commands, which are no edits.
  private mutating func withoutEffects(
    _ model: EntityModel, _ pks: [Int64]?, _ found: [PendingFacts]
  ) throws -> [PendingFacts] {
    let effects = try connection.rows(
      "SELECT pk, property FROM \(EditNotes.table) AS _edit WHERE entity = ?1\(filter(pks)) AND \(OutboxTable.isEffect)",
      values(model, pks)
    ) { (key: RowKey(entity: model.number, pk: $0.int64(0)), name: $0.text(1) ?? "") }
    guard !effects.isEmpty else { return found }
    for (key, name) in effects {
      guard let index = model.index(of: name), var facts = rows[key] else { continue }
      facts.edited.subtract(ColumnMask(index))
      facts.links.removeAll { $0.property == index }
      rows[key] = facts.kind == .edit && facts.edited.isEmpty ? nil : facts
    }
    return found.compactMap { rows[$0.key] }
  }

  private mutating func deleted(_ model: EntityModel, _ pks: [Int64]?) throws {
    let found = try connection.rows(
      "SELECT pk, uid, number, cause FROM \(Tombstones.table) WHERE entity = ?1\(filter(pks))", values(model, pks)
    ) { row in
      var facts = PendingFacts(
        key: RowKey(entity: model.number, pk: row.int64(0)), kind: .deletion,
        uid: model.uidType.flatMap { row.value(1).uidText($0) }, number: row.int64(2), edited: ColumnMask())
      facts.cause = row.optionalInt64(3)
      return facts
    }
    for facts in found { rows[facts.key] = facts }
  }

  /// A deletion whose cause is not noted is sent like others.
  private mutating func forgetCausesThatAreOver() throws {
    let caused = rows.values.filter { $0.cause != nil }
    guard !caused.isEmpty else { return }
    let causes = Set(caused.compactMap(\.cause))
    var noted: Set<Int64> = []
    // By entity, because the primary key begins with it.
    for model in schema.entities where model.uid != nil && noted.count < causes.count {
      noted.formUnion(
        try connection.rows(
          "SELECT pk FROM \(Tombstones.table) WHERE entity = ?1 AND pk IN (SELECT value FROM _entity_values(?2))",
          [.text(model.name), .pks(Array(causes))]
        ) { $0.int64(0) })
    }
    for facts in caused where facts.cause.map(noted.contains) == false { rows[facts.key]?.cause = nil }
  }

  // MARK: Relationships

  /// The targets that edited links had on the server.
  private mutating func formerTargets(_ model: EntityModel, _ pks: [Int64]?) throws {
    guard !model.links.isEmpty else { return }
    let found = try connection.rows(
      "SELECT pk, property, base FROM \(EditNotes.table) WHERE entity = ?1\(filter(pks)) AND has_base = 1 "
        + "AND typeof(base) = 'integer'", values(model, pks)
    ) { (pk: $0.int64(0), name: $0.text(1) ?? "", base: $0.int64(2)) }
    for note in found {
      let key = RowKey(entity: model.number, pk: note.pk)
      guard let index = model.index(of: note.name), case .toOne(let target, _, _) = model.properties[index].kind,
        rows[key]?.edited.contains(index) == true
      else { continue }
      rows[key]?.formerTargets.append(RowKey(entity: target, pk: note.base))
    }
  }

  /// The members of a list that requests about its owners would name.
  private mutating func members(_ property: PropertyModel, _ model: EntityModel, _ owners: [PendingFacts]) throws {
    guard let list = property.list else { return }
    let edited = owners.filter { $0.kind == .edit && $0.edited.contains(property.index) }.map(\.key.pk)
    let (links, isPairs) = (schema.entities[list.entity], list.member != nil)
    // The other lists follow from the links of their members, and are sent with these.
    guard isPairs || !property.leadsToEmbedded && !property.isCounterpart else { return }
    let member = links.memberColumn(list)
    func link(_ pk: Int64, _ member: Int64) {
      rows[RowKey(entity: model.number, pk: pk)]?.links.append(
        .init(property: property.index, target: RowKey(entity: list.target, pk: member), isRequired: false))
    }
    try add(edited, list, from: links.table, "AND _edited IS NOT NULL") {
      if $1.known.contains(list.owner) || !isPairs && $1.isNew { link($0, $2) }
    }
    guard isPairs else { return }
    let new = owners.filter { $0.kind == .insert }.map(\.key.pk)
    try add(new, list, from: links.table) { link($0, $2) }
    // A removal without a member stands for all pairs that are not in the list.
    try add(edited, list, from: links.removedTable, "AND \(member) IS NOT NULL") {
      guard $1.known.contains(list.owner) else { return }
      rows[RowKey(entity: model.number, pk: $0)]?.formerTargets.append(RowKey(entity: list.target, pk: $2))
    }
  }

  /// Reads the rows that link to owners of a list, and hands on each owner, the marks of the row and the member.
  private func add(
    _ owners: [Int64], _ list: PropertyModel.ListRows, from table: String, _ condition: String = "",
    _ take: (Int64, EditMarks, Int64) -> Void
  ) throws {
    guard !owners.isEmpty else { return }
    let model = schema.entities[list.entity]
    let owner = model.properties[list.owner].name.quoted
    let statement = try connection.prepare(
      "SELECT \(owner), _edited, \(model.memberColumn(list)) FROM \(table) WHERE \(owner) IN \(EmbeddedOwners.values) "
        + "\(condition) ORDER BY 1, 3")
    defer { statement.reset() }
    try statement.bind([.pks(owners)])
    while try statement.step() { take(statement.int64(0), model.edited(statement), statement.int64(2)) }
  }

  // MARK: What is sent together

  /// The facts by the objects that are sent: embedded objects belong to them.
  private mutating func sent() throws -> [RowKey: PendingFacts] {
    // Without entities that can be embedded, each object is sent by itself.
    guard schema.declared.contains(where: { $0.uid == nil }) else { return rows }
    try owners.read(rows.keys)
    for facts in rows.values where !facts.links.isEmpty || !facts.formerTargets.isEmpty {
      try owners.read(facts.links.lazy.map(\.target))
      try owners.read(facts.formerTargets)
    }
    var sent: [RowKey: PendingFacts] = [:]
    var parts: [(owner: EmbeddedOwners.Owner, facts: PendingFacts)] = []
    for (key, facts) in rows {
      if let owner = owners.owner(of: key) {
        parts.append((owner, following(facts, to: owner.key)))
      } else {
        sent[key] = following(facts, to: key)
      }
    }
    guard !parts.isEmpty else { return sent }
    for (key, uid) in try uids(of: Set(parts.map(\.owner.key)).subtracting(sent.keys)) {
      // Its parts have the numbers.
      sent[key] = PendingFacts(key: key, kind: .edit, uid: uid, number: .min, edited: ColumnMask())
    }
    for (key, parts) in Dictionary(grouping: parts, by: \.owner.key) { sent[key]?.add(parts, schema) }
    return sent
  }

  /// The facts with the objects that are sent as targets, and without links between the parts of one object.
  private func following(_ facts: PendingFacts, to sender: RowKey) -> PendingFacts {
    var facts = facts
    facts.links = facts.links.compactMap { link in
      var link = link
      // A link to itself stays: the server learns the uid of the object by its insertion.
      if link.target == facts.key, facts.key == sender { return link }
      link.target = owners.sender(of: link.target)
      return link.target == sender ? nil : link
    }
    facts.formerTargets = facts.formerTargets.map(owners.sender).filter { $0 != sender }
    return facts
  }

  /// The uids of objects without changes of their own.
  private func uids(of keys: Set<RowKey>) throws -> [RowKey: String?] {
    var found: [RowKey: String?] = [:]
    for (entity, keys) in Dictionary(grouping: keys, by: \.entity) {
      let model = schema.entities[entity]
      let uid = model.uid.map { model.properties[$0].name.quoted } ?? "NULL"
      let rows = try connection.rows(
        "SELECT _pk, \(uid) FROM \(model.table) WHERE _pk IN \(EmbeddedOwners.values)", [.pks(keys.map(\.pk))]
      ) { ($0.int64(0), $0.value(1)) }
      for (pk, value) in rows {
        found[RowKey(entity: entity, pk: pk)] = .some(model.uidType.flatMap { value.uidText($0) })
      }
    }
    return found
  }
}

extension PendingFacts {
  /// Adds the facts of embedded objects.
  fileprivate mutating func add(_ parts: [(owner: EmbeddedOwners.Owner, facts: PendingFacts)], _ schema: SchemaModel) {
    var known = Set(links)
    var former = Set(formerTargets)
    for part in parts.sorted(by: { ($0.facts.key.entity, $0.facts.key.pk) < ($1.facts.key.entity, $1.facts.key.pk) }) {
      number = max(number, part.facts.number)
      edited.insert(part.owner.property)
      let property = schema.entities[key.entity].properties[part.owner.property]
      for link in part.facts.links {
        // The links of one embedded object can't be left out alone.
        let link = Link(property: property.index, target: link.target, isRequired: property.isRequired)
        if known.insert(link).inserted { links.append(link) }
      }
      for target in part.facts.formerTargets where former.insert(target).inserted { formerTargets.append(target) }
    }
  }
}
