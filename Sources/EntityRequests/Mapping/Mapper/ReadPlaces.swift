import EntityJSON
import EntityStore

/// The places of a body that were read.
final class ReadPlaces {
  /// Values that were read with all that is in them.
  private var whole: Set<JSONPlace> = []
  /// Links, lists and embedded objects: the objects in them are read by themselves.
  private var links: Set<JSONPlace> = []
  private var entities: [JSONPlace: String] = [:]

  func read(_ value: JSONValue, isWhole: Bool = true) {
    if isWhole { whole.insert(value.place) } else { links.insert(value.place) }
  }

  /// Notes an object that is mapped, and the keys of its identity.
  func enter(_ plan: MappingPlan, _ object: JSONObject) {
    entities[object.value.place] = plan.model.name
    for key in plan.keysOfIdentity { if let value = object.value(for: key) { read(value) } }
  }

  /// The keys in values of a response that were not read.
  func others(in values: [JSONValue]) -> [UnreadKey] {
    var found: [UnreadKey] = []
    var known: Set<UnreadKey> = []
    for value in values {
      _ = isRead(value, nil, []) { key in if known.insert(key).inserted { found.append(key) } }
    }
    return found
  }

  /// - Returns: Whether the value, or one in it, was read.
  private func isRead(_ value: JSONValue, _ entity: String?, _ path: [String], _ report: (UnreadKey) -> Void) -> Bool {
    let place = value.place
    if whole.contains(place) { return true }
    if let array = value.array {
      return array.reduce(links.contains(place)) { isRead($1, entity, path, report) || $0 }
    }
    guard let object = value.object else { return links.contains(place) }
    let own = entities[place]
    let (entity, path) = own == nil ? (entity, path) : (own, [])
    var unread: [String] = []
    var isReached = own != nil
    for (key, value) in object {
      if isRead(value, entity, path + [key], report) { isReached = true } else { unread.append(key) }
    }
    guard isReached else { return links.contains(place) }
    for key in unread {
      let keys = (path + [key]).map { $0.replacing(".", with: "\\.") }
      report(UnreadKey(entity: entity, keyPath: keys.joined(separator: ".")))
    }
    return true
  }
}
