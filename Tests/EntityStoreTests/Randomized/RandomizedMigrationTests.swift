import Foundation
import TestSupport
import Testing

@testable import EntityStore

/// Random files, with rows, links, pairs and local edits, brought through random versions of an app.
struct RandomizedMigrationTests {
  @Test(arguments: Place.allCases)
  func whatShouldSurviveDoes(_ place: Place) async throws {
    await Seeds.each(12, sanitized: 2, "\(place)") { seed, steps in
      var life = try FileLife(place, SeededRandom(seed))
      try life.create()
      for _ in 0..<6 {
        try life.change(&steps)
        try life.open()
        try life.compare()
        for entity in life.version.entities { try life.fill(entity) }
        try life.compare()
      }
    }
  }
}

/// A file, the version of the app that it is opened with, and what should be in it.
struct FileLife {
  /// What should be in a row.
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

  // MARK: Versions

  mutating func create() throws {
    for slot in 0..<3 { version.entities.append(ShapeEntity(slot: slot, name: newName())) }
    for index in version.entities.indices {
      for _ in 0..<(2 + random.below(4)) { version.entities[index].properties.append(newProperty()) }
    }
    try open()
    for entity in version.entities { try fill(entity) }
  }

  mutating func newProperty() -> ShapeProperty {
    let slot = version.entities[random.below(version.entities.count)].slot
    switch random.below(6) {
    case 0: return ShapeProperty(name: newName(), kind: .link(slot), isIndexed: true)
    case 1: return ShapeProperty(name: newName(), kind: .list(slot))
    default:
      let types: [AttributeType] = [
        .string, .integer(bits: 16, isSigned: true), .integer(bits: 64, isSigned: true), .float, .double,
      ]
      return ShapeProperty(
        name: newName(), kind: .attribute(types[random.below(types.count)]), isOptional: !random.chance(3),
        isIndexed: random.chance(3))
    }
  }

  /// The next version: some of the changes that a store makes by itself.
  mutating func change(_ steps: inout String) throws {
    for index in version.entities.indices {
      version.entities[index].formerNames = []
      for property in version.entities[index].properties.indices
      where !version.entities[index].properties[property].isSwapped {
        version.entities[index].properties[property].formerNames = []
      }
    }
    fresh = []
    for _ in 0..<(1 + random.below(5)) { steps += "\(changeOnce())\n" }
    for entity in version.entities { for property in entity.properties { fillIn(entity.slot, property) } }
    steps += "---\n"
  }

  private mutating func changeOnce() -> String {
    let index = random.below(version.entities.count)
    let slot = version.entities[index].slot
    let name = version.entities[index].name
    let count = version.entities[index].properties.count
    let place = count == 0 ? nil : random.below(count)
    switch random.below(13) {
    case 11, 12: return changeIndexes(index)
    case 10:
      let names = version.entities[index].properties.filter {
        $0.isStored && $0.formerNames.isEmpty && !fresh.contains($0.name)
      }.map(\.name)
      guard names.count > 1 else { return "nothing" }
      swapNames(index, names[0], names[1])
      return "\(name).\(names[0]) <> \(name).\(names[1])"
    case 0:
      guard version.entities[index].formerNames.isEmpty else { return "nothing" }
      version.entities[index].name = newName()
      version.entities[index].formerNames = [name]
      return "\(name) > \(version.entities[index].name)"
    case 1, 2:
      guard let place, version.entities[index].properties[place].formerNames.isEmpty else { return "nothing" }
      let old = version.entities[index].properties[place].name
      guard
        contents[slot]?.rows.values.contains(where: { $0.values.keys.contains(old) }) == true
          || contents[slot]?.pairs[old] != nil
      else { return "nothing" }
      let new = newName()
      version.entities[index].properties[place].name = new
      version.entities[index].properties[place].formerNames = ["never\(nextName)", old]
      renameIndexes(index, [old: new])
      renameContent(slot, old, new)
      return "\(name).\(old) > \(new)"
    case 3:
      guard let place, version.entities[index].properties[place].formerNames.isEmpty else { return "nothing" }
      let property = version.entities[index].properties.remove(at: place)
      version.entities[index].indexes.removeAll { $0.names(property.name) }
      version.entities[index].removed.append(property.name)
      aside[slot, default: []].append(property)
      return "- \(name).\(property.name)"
    case 4:
      guard let property = aside[slot]?.last, isPossible(property) else { return "nothing" }
      aside[slot]?.removeLast()
      version.entities[index].removed.removeAll { $0 == property.name }
      var back = property
      back.isOptional = random.chance(2)
      if !back.isAttribute { back.isOptional = true }
      version.entities[index].properties.append(back)
      fresh.insert(back.name)
      return "+ \(name).\(property.name) again"
    case 5:
      let property = newProperty()
      version.entities[index].properties.append(property)
      fresh.insert(property.name)
      if !property.isStored { contents[slot]?.pairs[property.name] = [:] }
      return "+ \(name).\(property.name): \(property.kind)"
    case 6:
      guard let place, case .attribute(let type) = version.entities[index].properties[place].kind else {
        return "nothing"
      }
      switch type {
      case .integer(bits: 16, _):
        version.entities[index].properties[place].kind = .attribute(.integer(bits: 64, isSigned: true))
      case .float: version.entities[index].properties[place].kind = .attribute(.double)
      default: return "nothing"
      }
      return "wider \(name).\(version.entities[index].properties[place].name)"
    case 7:
      guard let place, version.entities[index].properties[place].isAttribute else { return "nothing" }
      version.entities[index].properties[place].isOptional.toggle()
      return "toggled \(name).\(version.entities[index].properties[place].name)"
    case 8:
      guard let place, version.entities[index].properties[place].isAttribute else { return "nothing" }
      version.entities[index].properties[place].isIndexed.toggle()
      return "index \(name).\(version.entities[index].properties[place].name)"
    default:
      return removeOrAddEntity(index)
    }
  }

  private func isPossible(_ property: ShapeProperty) -> Bool {
    switch property.kind {
    case .attribute: true
    case .link(let slot), .list(let slot): version.entity(slot) != nil
    }
  }

  private mutating func removeOrAddEntity(_ index: Int) -> String {
    if let entity = asideEntities.popLast() {
      // All that refers to others stays away with it.
      version.entities.append(entity)
      removed.removeAll { $0 == entity.name }
      return "+ \(entity.name) again"
    }
    var entity = version.entities[index]
    let isHeld = version.entities.contains { other in
      other.slot != entity.slot && other.properties.contains { !$0.isAttribute && $0.refers(to: entity.slot) }
    }
    guard version.entities.count > 2, !isHeld, entity.formerNames.isEmpty,
      entity.properties.allSatisfy({ $0.formerNames.isEmpty && $0.isAttribute })
    else { return "nothing" }
    version.entities.remove(at: index)
    removed.append(entity.name)
    entity.formerNames = []
    asideEntities.append(entity)
    return "- \(entity.name)"
  }

  /// One index over several columns, or over a part of the rows, comes or goes.
  private mutating func changeIndexes(_ index: Int) -> String {
    let entity = version.entities[index]
    if !entity.indexes.isEmpty, random.chance(3) {
      return "- \(entity.name): \(version.entities[index].indexes.remove(at: random.below(entity.indexes.count)))"
    }
    let columns = entity.properties.filter(\.isStored).map(\.name).filter { _ in random.chance(2) }.prefix(3)
    guard !columns.isEmpty else { return "nothing" }
    var new = ShapeIndex(columns: Array(columns))
    if columns.count == 1 || random.chance(2) {
      new.partial = random.element(entity.properties.filter(\.isStored).map(\.name))
      // A text that has the name of a column keeps it.
      new.text = new.partial?.quoted ?? ""
    }
    guard !entity.indexes.contains(where: { $0.columns == new.columns && $0.condition == new.condition }) else {
      return "nothing"
    }
    version.entities[index].indexes.append(new)
    return "+ \(entity.name): \(new)"
  }

  private mutating func renameIndexes(_ entity: Int, _ names: [String: String]) {
    for index in version.entities[entity].indexes.indices { version.entities[entity].indexes[index].rename(names) }
  }

  /// Two properties have each other's name, and say so for ever.
  private mutating func swapNames(_ index: Int, _ first: String, _ second: String) {
    let slot = version.entities[index].slot
    renameIndexes(index, [first: second, second: first])
    for place in version.entities[index].properties.indices {
      let name = version.entities[index].properties[place].name
      guard [first, second].contains(name) else { continue }
      version.entities[index].properties[place].name = name == first ? second : first
      version.entities[index].properties[place].formerNames = [name]
      version.entities[index].properties[place].isSwapped = true
    }
    renameContent(slot, first, "between")
    renameContent(slot, second, first)
    renameContent(slot, "between", second)
  }

  private mutating func renameContent(_ slot: Int, _ old: String, _ new: String) {
    for pk in (contents[slot]?.rows ?? [:]).keys {
      if let value = contents[slot]?.rows[pk]?.values.removeValue(forKey: old) {
        contents[slot]?.rows[pk]?.values[new] = value
      }
      if let base = contents[slot]?.rows[pk]?.bases.removeValue(forKey: old) {
        contents[slot]?.rows[pk]?.bases[new] = base
      }
      if contents[slot]?.rows[pk]?.edited.remove(old) != nil { contents[slot]?.rows[pk]?.edited.insert(new) }
    }
    if let pairs = contents[slot]?.pairs.removeValue(forKey: old) { contents[slot]?.pairs[new] = pairs }
  }

  /// Rows without a value of a property that is required get the default.
  private mutating func fillIn(_ slot: Int, _ property: ShapeProperty) {
    guard property.isStored, !property.isOptional else { return }
    for (pk, row) in contents[slot]?.rows ?? [:] where row.bases[property.name] == .null {
      contents[slot]?.rows[pk]?.bases[property.name] = property.neutral
    }
    for (pk, row) in contents[slot]?.rows ?? [:] where (row.values[property.name] ?? .null).isNull {
      contents[slot]?.rows[pk]?.values[property.name] = property.neutral
    }
  }

  // MARK: The file

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

extension ShapeProperty {
  fileprivate func refers(to slot: Int) -> Bool {
    switch kind {
    case .attribute: false
    case .link(let target), .list(let target): target == slot
    }
  }
}
