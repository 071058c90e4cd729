import Foundation
import TestSupport
import Testing

@testable import EntityStore

/// A file, the version of the app that it is opened with, and what should be in it.
struct FileLife {
  /// The expected values of a row.
  struct Row {
    var values: [String: StoredValue] = [:]
    var edited: Set<String> = []
    /// The values before the edits, where they are known.
    var bases: [String: StoredValue] = [:]
  }

  struct Pair: Hashable {
    let owner: Int64
    let member: Int64
    /// Taken out here.
    let isRemoved: Bool
  }

  /// An entity with its rows, and the pairs and marks of its lists; those of removed properties too.
  struct Content {
    var rows: [Int64: Row] = [:]
    var pairs: [String: [Pair: String?]] = [:]
  }

  struct Mistake: Error, CustomStringConvertible {
    let description: String
  }

  let folder: TemporaryFolder
  let location: StoreLocation
  let connection: Connection
  var random: SeededRandom
  var version = ShapeVersion()
  var removed: [String] = []
  /// By the slot of the entity.
  var contents: [Int: Content] = [:]
  /// The entities and properties that were removed, and may come back.
  var asideEntities: [ShapeEntity] = []
  var aside: [Int: [ShapeProperty]] = [:]
  /// The properties that the file may not have yet.
  var fresh: Set<String> = []
  var nextName = 0
  var nextKey: Int64 = 1

  init(_ place: Place, _ random: SeededRandom) throws {
    folder = try TemporaryFolder()
    location = place == .file ? .file(folder.file) : .inMemory
    try location.prepare()
    connection = try Connection(location, opening: .making, busyTimeout: .ample)
    self.random = random
  }

  mutating func newName() -> String {
    nextName += 1
    return ["n", "N n", "select", "ü\"x", "a'b"][random.below(5)] + "\(nextName)"
  }

  mutating func fill(_ entity: ShapeEntity) throws {
    let table = "main.\(entity.name.quoted)"
    contents[entity.slot] = contents[entity.slot] ?? Content()
    for _ in 0..<random.below(12) {
      let pk = nextKey
      nextKey += 1
      var row = Row()
      for property in entity.properties where property.isStored {
        row.values[property.name] = value(of: property)
      }
      for property in entity.properties where property.isStored && random.chance(3) {
        row.edited.insert(property.name)
      }
      let names = row.values.keys.sorted()
      let columns = (["_pk", "_edited"] + names.map(\.quoted)).joined(separator: ", ")
      let marks = Array(repeating: "?", count: names.count + 2).joined(separator: ", ")
      let edited = row.edited.isEmpty ? StoredValue.null : .text(row.edited.sorted().joined(separator: ","))
      try connection.prepare("INSERT INTO \(table) (\(columns)) VALUES (\(marks))")
        .run([.integer(pk), edited] + names.map { row.values[$0] ?? .null })
      for property in entity.properties where row.edited.contains(property.name) {
        if !random.chance(4) { row.bases[property.name] = value(of: property) }
        try addNote(entity, pk, property.name, row.bases[property.name])
      }
      contents[entity.slot]?.rows[pk] = row
    }
    for property in entity.properties {
      guard case .list(let target) = property.kind else { continue }
      if contents[entity.slot]?.pairs[property.name] == nil { contents[entity.slot]?.pairs[property.name] = [:] }
      let (owners, members) = (keys(entity.slot), keys(target))
      for _ in 0..<random.below(8) {
        guard let owner = random.element(owners), let member = random.element(members) else { continue }
        let isRemoved = random.chance(3)
        let known = contents[entity.slot]?.pairs[property.name] ?? [:]
        guard !known.keys.contains(where: { $0.owner == owner && $0.member == member }) else { continue }
        let mark: String? = isRemoved || random.chance(2) ? "owner" : nil
        contents[entity.slot]?.pairs[property.name]?[Pair(owner: owner, member: member, isRemoved: isRemoved)] = mark
        let list = "\(entity.name),\(property.name)"
        let values = [mark.map { .text($0) } ?? StoredValue.null, .integer(owner), .integer(member)]
        if isRemoved {
          try connection.prepare(
            "INSERT INTO main.\("\(list),removed".quoted) (_edited, owner, member) VALUES (?, ?, ?)"
          )
          .run(values)
        } else {
          try connection.prepare("INSERT INTO main.\(list.quoted) (_pk, _edited, owner, member) VALUES (?, ?, ?, ?)")
            .run([.integer(nextKey)] + values)
          nextKey += 1
        }
        guard mark != nil, contents[entity.slot]?.rows[owner]?.edited.insert(property.name).inserted == true else {
          continue
        }
        try connection.prepare(
          "UPDATE \(table) SET _edited = coalesce(_edited || ',', '') || ? WHERE _pk = ?"
        ).run([.text(property.name), .integer(owner)])
        try addNote(entity, owner, property.name, nil)
      }
    }
    connection.forgetStatements()
  }

  private func addNote(_ entity: ShapeEntity, _ pk: Int64, _ property: String, _ base: StoredValue?) throws {
    try connection.prepare(
      "INSERT INTO \(EditNotes.table) (entity, pk, property, base, has_base, time) VALUES (?, ?, ?, ?, ?, 1)"
    ).run([
      .text(entity.name), .integer(pk), .text(property), base ?? .null, .integer(base == nil ? 0 : 1),
    ])
  }

  /// The notes of the edits of an entity are those of its marks, with the values before the edits.
  private func compareNotes(_ entity: ShapeEntity, _ names: Set<String>) throws {
    var found: [Int64: [String: StoredValue?]] = [:]
    for (pk, property, base, isKnown) in try connection.rows(
      "SELECT pk, property, base, has_base FROM \(EditNotes.table) WHERE entity = ?", [.text(entity.name)],
      read: { ($0.int64(0), $0.text(1) ?? "", $0.value(2), $0.int64(3) == 1) })
    where !property.hasPrefix("_") { found[pk, default: [:]][property] = .some(isKnown ? base : nil) }
    for (pk, row) in contents[entity.slot]?.rows ?? [:] {
      var expected: [String: StoredValue?] = [:]
      for name in row.edited.intersection(names) { expected[name] = .some(row.bases[name]) }
      guard found.removeValue(forKey: pk) ?? [:] == expected else {
        throw Mistake(description: "\(entity.name) \(pk): other notes than \(expected)")
      }
    }
    guard found.isEmpty else {
      throw Mistake(description: "\(entity.name): notes of rows that are not there: \(found)")
    }
  }

  private func keys(_ slot: Int) -> [Int64] { (contents[slot]?.rows ?? [:]).keys.sorted() }

  private mutating func value(of property: ShapeProperty) -> StoredValue {
    if property.isOptional, random.chance(3) { return .null }
    switch property.kind {
    case .attribute(.string): return .text(["", "x", "é", "a'b\"c"][random.below(4)])
    case .attribute(.float), .attribute(.double): return .real(Double(random.below(100)) / 4)
    case .attribute: return .integer(Int64(random.below(1000)))
    case .link(let slot): return random.element(keys(slot)).map { .integer($0) } ?? .null
    case .list: return .null
    }
  }

  mutating func open() throws {
    let (version, removed, location) = (version, removed, location)
    try version.run {
      let before = try connection.content()
      let plan = try EntityStore.migrationPlan(for: location, entities: version.types, removed: removed)
      if let error = plan.error { throw error }
      guard try connection.content() == before else { throw Mistake(description: "the plan changed the file") }
      _ = try EntityStore(location, entities: version.types, removed: removed, backup: .none, busyTimeout: .ample)
    }
  }

  // MARK: The comparison

  func compare() throws {
    connection.forgetStatements()
    let (version, removed, location) = (version, removed, location)
    try version.run { try Hotel.check(location, version.types, removed: removed) }
    for entity in version.entities {
      let stored = entity.properties.filter(\.isStored).map(\.name)
      let names = Set(entity.properties.map(\.name))
      let columns = (["_pk", "_edited"] + stored.map(\.quoted)).joined(separator: ", ")
      let expected = contents[entity.slot]?.rows ?? [:]
      var found: Set<Int64> = []
      for (pk, edited, values) in try connection.rows(
        "SELECT \(columns) FROM main.\(entity.name.quoted)",
        read: { row in (row.int64(0), row.text(1), stored.indices.map { row.value($0 + 2) }) })
      {
        found.insert(pk)
        let row = expected[pk] ?? Row()
        let marks = Set((edited ?? "").split(separator: ",").map(String.init))
        guard marks == row.edited.intersection(names) else {
          throw Mistake(description: "\(entity.name) \(pk): marks \(marks), not \(row.edited.intersection(names))")
        }
        for (name, value) in zip(stored, values) where value != row.values[name] ?? .null {
          throw Mistake(
            description: "\(entity.name).\(name) \(pk): \(value), not \(row.values[name] ?? .null)")
        }
      }
      guard found == Set(expected.keys) else { throw Mistake(description: "\(entity.name): other rows") }
      try compareNotes(entity, names)
      for list in entity.properties where !list.isStored {
        let table = "\(entity.name),\(list.name)"
        var pairs: [Pair: String?] = [:]
        for isRemoved in [false, true] {
          for (owner, member, mark) in try connection.rows(
            "SELECT owner, member, _edited FROM main.\((isRemoved ? table + ",removed" : table).quoted)",
            read: { ($0.int64(0), $0.int64(1), $0.text(2)) })
          {
            pairs[Pair(owner: owner, member: member, isRemoved: isRemoved)] = .some(mark)
          }
        }
        guard pairs == contents[entity.slot]?.pairs[list.name] ?? [:] else {
          throw Mistake(description: "\(table): \(pairs), not \(contents[entity.slot]?.pairs[list.name] ?? [:])")
        }
      }
    }
  }
}
