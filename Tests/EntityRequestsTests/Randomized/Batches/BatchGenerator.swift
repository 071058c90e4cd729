import EntityClient
import TestSupport

@testable import EntityRequests
@testable import EntityStore

/// Makes the steps of a history from a schema: it asks the entities alone which keys and values their objects have.
struct BatchGenerator {
  let schema: SchemaModel
  let profile: BatchProfile
  var random: SeededRandom
  /// The entities of which responses have objects.
  private let remote: [EntityModel]
  private let all: [EntityModel]
  private var sent: [Int] = []
  private var lastNumber = 0
  /// How far the values of which no two rows have the same have moved on from object to object.
  private(set) var shift = 0

  init(_ kind: BatchSchema, _ schema: SchemaModel, _ seed: UInt64) {
    var random = SeededRandom(seed)
    profile = BatchProfile(kind, seed, &random)
    self.random = random
    self.schema = schema
    all = schema.entities.filter { !$0.isLinks }
    remote = all.filter { $0.type is any RemoteEntity.Type && $0.uid != nil }
  }

  /// True once in `count` times; never for 0.
  private mutating func happens(_ count: Int) -> Bool { count > 0 && random.chance(count) }

  mutating func history() -> [BatchStep] {
    var steps: [BatchStep] = []
    while steps.count < profile.steps {
      if happens(profile.overlaps) {
        lastNumber += 1
        sent.append(lastNumber)
        steps.append(.send(lastNumber, isWrite: random.chance(4)))
      } else if happens(profile.changes) {
        steps.append(change())
      } else {
        steps.append(.response(response()))
      }
    }
    return steps
  }

  // MARK: Changes

  private mutating func change() -> BatchStep {
    let model = random.element(remote) ?? all[0]
    let row = random.below(20)
    if profile.usesMain {
      switch random.below(10) {
      case 0, 1: return .save(overwrites: random.chance(3))
      case 2 where random.chance(2): return .discard
      case 3 where profile.hasUndo: return random.chance(3) ? .redo : .undo
      default: break
      }
    }
    let place: BatchPlace = profile.usesMain && random.chance(2) ? .main : random.chance(6) ? .server : .unit
    switch random.below(17) {
    case 0: return .deletion(entity: model.number, row: row)
    case 1, 2:
      return .patch(entity: model.number, row: row, answer: random.chance(5) ? nil : object(model, depth: 1))
    case 13, 14:
      guard let (property, value) = value(model) else { break }
      let others = (0..<random.below(3)).compactMap { _ in self.value(model) }.filter { $0.0 == property }.map(\.1)
      return .change(.setAll(entity: model.number, property: property, [value] + others), place)
    case 15:
      guard let (property, value) = value(model) else { break }
      return .change(.update(entity: model.number, property: property, value), place)
    case 16:
      guard let (property, value) = value(model), let uid = model.uid, model.uidParts == nil else { break }
      let first = random.below(profile.uids)
      let uids = (first..<first + 1 + random.below(12)).compactMap { storedUID(model.properties[uid], $0) }
      return .change(.fill(entity: model.number, uids: uids, property: property, value), place)
    case 12: return .change(.upsert(entity: model.number, object(model, depth: 1)), place)
    case 3: return .change(.delete(entity: model.number, row: row), place)
    case 4:
      guard let (property, value) = value(model) else { break }
      return .change(.insert(entity: model.number, property: property, value), place)
    case 5, 6, 7:
      let links = model.properties.filter { property in
        if case .attribute = property.kind { false } else { true }
      }
      guard let link = random.element(links) else { break }
      if case .toOne = link.kind {
        let target = random.chance(4) ? nil : random.below(20)
        return .change(.link(entity: model.number, row: row, property: link.index, target: target), place)
      }
      let members = (0..<random.below(4)).map { _ in random.below(20) }
      return .change(.list(entity: model.number, row: row, property: link.index, members: members), place)
    default: break
    }
    guard let (property, value) = value(model) else { return .save(overwrites: false) }
    return .change(.set(entity: model.number, row: row, property: property, value), place)
  }

  /// An attribute that an app can set, and a value for it.
  private mutating func value(_ model: EntityModel) -> (Int, StoredValue)? {
    let settable = model.properties.filter { property in
      guard case .attribute(let type, _) = property.kind, !property.isUID, !property.isHidden else { return false }
      switch type {
      case .bool, .integer, .double, .string, .date: return true
      default: return false
      }
    }
    guard let property = random.element(settable), case .attribute(let type, let isOptional) = property.kind else {
      return nil
    }
    if isOptional, random.chance(6) { return (property.index, .null) }
    switch type {
    case .bool: return (property.index, .integer(random.chance(2) ? 1 : 0))
    case .integer: return (property.index, .integer(Int64(random.below(9))))
    case .double, .date: return (property.index, .real(Double(random.below(9)) / 2))
    default: return (property.index, .text(random.element(Self.words) ?? ""))
    }
  }

  // MARK: Responses

  private mutating func response() -> BatchResponse {
    var model = random.element(remote) ?? all[0]
    var subject: BatchResponse.Subject?
    if happens(profile.options * 2) {
      subject = .row(random.below(20))
      if random.chance(2), let owner = relationship() { (model, subject) = owner }
    }
    var response = BatchResponse(entity: model.number, body: .null)
    shift = random.element([0, 0, 1, 2]) ?? 0
    if !sent.isEmpty, random.chance(2) { response.number = sent.remove(at: random.below(sent.count)) }
    if happens(profile.options) {
      switch random.below(9) {
      case 0: response.mode = .insertOnly
      case 1: response.mode = .updateOnly
      case 2: response.mode = .replace
      case 3: response.unnamed = random.chance(2) ? .insert : .embed
      case 4: response.overwrites = true
      case 5: response.isDryRun = true
      case 6: response.deletesMissing = true
      default: break
      }
      response.skips = random.chance(2)
      response.keeps = random.chance(4)
      response.reportsUnread = random.chance(4)
    }
    response.leavesNote = happens(profile.options * 3)
    response.subject = subject
    response.body = list(model)
    if subject != nil, random.chance(2) {
      response.body = object(model, depth: profile.depth)
    } else if happens(profile.options * 2) {
      response.parts = (0...random.below(3)).compactMap { _ in random.element(remote)?.number }
      var fields = [BatchNode.Field(key: "data", value: response.body)]
      for (place, part) in response.parts.enumerated() {
        fields.append(.init(key: "\(BatchResponse.partKey)\(place)", value: list(schema.entities[part])))
      }
      if random.chance(2) { fields.shuffle(using: &random) }
      if random.chance(3) {
        response.entity = nil
        fields.removeAll { $0.key == "data" }
      }
      response.body = .object(fields)
    } else if random.chance(12) {
      response.body = object(model, depth: profile.depth)
    }
    if happens(profile.faults) { response.body = spoiled(response.body) }
    return response
  }

  /// A relationship of an entity to one of which responses have objects.
  private mutating func relationship() -> (EntityModel, BatchResponse.Subject)? {
    guard let owner = random.element(remote), let property = random.element(owner.properties),
      let target = target(of: property), target.uid != nil, target.type is any RemoteEntity.Type
    else { return nil }
    return (target, .relationship(entity: owner.number, row: random.below(20), property: property.index))
  }

  private func target(of property: PropertyModel) -> EntityModel? {
    switch property.kind {
    case .attribute: nil
    case .toOne(let target, _, _), .toMany(let target, _, _): schema.entities[target]
    case .manyToMany(let membership, _): schema.entities[membership.target]
    }
  }

  private mutating func list(_ model: EntityModel) -> BatchNode {
    let count = min(profile.least + random.below(profile.objects - profile.least + 1), profile.uids)
    var uids = Array(0..<profile.uids)
    if !profile.isInOrder { uids.shuffle(using: &random) }
    let skipped = profile.isInOrder ? random.below(profile.uids - count + 1) : 0
    var elements: [BatchNode] = []
    for uid in uids[skipped..<skipped + count] {
      if happens(profile.repeats), let known = random.element(elements) { elements.append(known) }
      // Once more a uid that the list has already, mostly with other values.
      let uid = happens(profile.repeats) ? uids[skipped + random.below(count)] : uid
      elements.append(object(model, uid, depth: profile.depth))
    }
    return .list(elements)
  }

  /// An object of the entity; one of those that responses have, by its number.
  mutating func object(_ model: EntityModel, _ uid: Int? = nil, depth: Int) -> BatchNode {
    var fields: [(key: String, value: BatchNode)] = []
    let isWhole = !happens(profile.partial)
    let number = uid ?? random.below(profile.uids)
    if let parts = model.uidParts {
      for (place, part) in parts.parts.enumerated() {
        fields.append((part.key, self.uid(part, place == 0 ? number / 3 : number % 3)))
      }
    } else if let uid = model.uid {
      let key = MappingPlan.uidKey(of: model) ?? model.properties[uid].key
      if !happens(profile.faults * 40) { fields.append((key, self.uid(model.properties[uid], number))) }
    }
    for property in model.properties where !property.isUID && !property.isHidden {
      // A required object is mostly there, for the row may be new.
      guard isWhole || random.chance(2) || property.isRequired && !happens(profile.faults * 3) else { continue }
      guard let value = value(property, of: model, number, depth: depth) else { continue }
      // Each one of several relationships with one key has its members in one list.
      if let place = fields.firstIndex(where: { $0.key == property.key }) {
        if case .list(let elements) = fields[place].value, case .list(let others) = value {
          fields[place].value = .list((elements + others).shuffled(using: &random))
        }
      } else {
        fields.append((property.key, value))
      }
    }
    let remote = model.type as? any RemoteEntity.Type
    if let key = remote?.deletionKey, random.chance(12) {
      fields.append((key, .text(random.chance(4) ? "false" : "true")))
    }
    if let discriminator = remote?.discriminator {
      let type = random.chance(12) ? "other" : random.element(discriminator.values.sorted()) ?? ""
      fields.append((discriminator.key, .text("\"\(type)\"")))
    }
    if happens(profile.oddities) {
      fields.append(("unknown_\(random.below(3))", .text(random.element(["1", "{\"a\":[1]}", "[]", "null"]) ?? "1")))
    }
    if happens(profile.oddities * 2), let twice = random.element(fields) {
      fields.append((twice.key, random.chance(2) ? twice.value : .null))
    }
    if random.chance(3) { fields.shuffle(using: &random) }
    var object = BatchNode.object([])
    for field in fields { object.set(ArraySlice(field.key.split(separator: ".").map { key(String($0)) }), field.value) }
    return object
  }

  /// A key as it is written, mostly without escapes.
  private mutating func key(_ key: String) -> String {
    guard happens(profile.oddities * 6), let first = key.unicodeScalars.first, first.isASCII else { return key }
    let hex = String(first.value, radix: 16)
    return "\\u\(String(repeating: "0", count: 4 - hex.count))\(hex)\(String(key.dropFirst()))"
  }

  private mutating func value(
    _ property: PropertyModel, of model: EntityModel, _ number: Int, depth: Int
  ) -> BatchNode? {
    switch property.kind {
    case .attribute: return attribute(property, of: model, number)
    case .toMany(let target, _, _) where !property.isCounterpart: return members(target, depth)
    case .toOne(let target, _, _), .toMany(let target, _, _):
      if property.isRequired ? happens(profile.faults * 10) : random.chance(8) { return .null }
      return member(schema.entities[target], depth: depth)
    case .manyToMany(let membership, _): return members(membership.target, depth)
    }
  }

  private mutating func members(_ target: Int, _ depth: Int) -> BatchNode? {
    guard depth > 0, happens(profile.lists) else { return nil }
    if random.chance(20) { return .null }
    return .list((0..<random.below(5)).compactMap { _ in member(schema.entities[target], depth: depth) })
  }

  /// An object in another one: by its id, with nothing but its id, or nested.
  private mutating func member(_ model: EntityModel, depth: Int) -> BatchNode? {
    guard let uid = model.uid else { return depth > 0 ? object(model, depth: depth - 1) : nil }
    guard model.uidParts == nil else { return depth > 0 ? object(model, depth: depth - 1) : nil }
    let isTyped = (model.type as? any RemoteEntity.Type)?.discriminator != nil
    switch random.below(8) {
    case 0..<3 where depth > 0: return object(model, depth: depth - 1)
    case _ where isTyped && !random.chance(20): return object(model, depth: max(0, depth - 1))
    case 3 where depth > 0:
      let key = MappingPlan.uidKey(of: model) ?? model.properties[uid].key
      var object = BatchNode.object([])
      object.set(
        ArraySlice(key.split(separator: ".").map(String.init)),
        self.uid(model.properties[uid], random.below(profile.uids)))
      return object
    default: return self.uid(model.properties[uid], random.below(profile.uids))
    }
  }
}
