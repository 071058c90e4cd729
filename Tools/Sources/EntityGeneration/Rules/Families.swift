/// The variants of one entity or value: `UserCompact` and `User`, which have the same uid.
struct Family {
  typealias ID = SchemaIndex.ID

  /// The name in the document.
  let name: String
  /// The schemas, that with most properties first.
  let variants: [ID]
  let uid: UIDRule.Choice?
}

extension Family {
  /// A property of all variants together.
  struct Property {
    let key: String
    let keyPath: String
    /// The property in each variant that has it.
    let places: [Place]
    /// Whether each variant has the property, and requires it.
    let isRequired: Bool
    /// The schema of the property's owner, for the names of inline objects.
    let owner: ID
  }
}

/// All families of a document, of all that its responses lead to.
final class Families {
  typealias ID = SchemaIndex.ID

  let index: SchemaIndex
  private(set) var all: [Family] = []
  private var numbers: [ID: Int] = [:]
  private var knownProperties: [ID: [Family.Property]] = [:]

  /// - Parameters:
  ///   - starts: The objects that GETs respond with.
  ///   - others: The objects of other responses, which are taken where they are variants of the first.
  init(_ index: SchemaIndex, starts: [ID], others: [ID]) throws(GenerationError) {
    self.index = index
    var reached = try Self.closure(index, starts)
    let known = Set(reached.map { "\(index.stem($0)) \(index.uid($0)?.key ?? "")" })
    let variants = others.filter { known.contains("\(index.stem($0)) \(index.uid($0)?.key ?? "")") }
    reached = try Self.closure(index, starts + variants)
    fold(reached)
  }

  /// No API has so many objects, and no project would compile them.
  private static let mostObjects = 10_000

  private static func closure(_ index: SchemaIndex, _ starts: [ID]) throws(GenerationError) -> [ID] {
    var reached: [ID] = []
    var seen: Set<ID> = []
    var queue = starts[...]
    while let next = queue.popFirst() {
      guard seen.insert(next).inserted else { continue }
      reached.append(next)
      guard reached.count <= mostObjects else {
        throw GenerationError(
          index.document.file, "The responses lead to more than \(mostObjects) objects, which is the limit.")
      }
      queue += index.related(to: next).filter { !seen.contains($0) }
    }
    return reached
  }

  private func fold(_ reached: [ID]) {
    var groups: [String: [ID]] = [:]
    var order: [String] = []
    for id in reached {
      // A response of that name is a thing of its own: `WebhookRequest` is a request that was made.
      let isAlone = index.name(id).hasSuffix("Request")
      let stem = isAlone ? "\(index.name(id)) " : index.stem(id)
      if groups[stem] == nil { order.append(stem) }
      groups[stem, default: []].append(id)
    }
    for stem in order { divide(groups[stem] ?? [], stem.trimmingSuffix(" ")) }
  }

  /// Only variants with the same uid are one entity.
  private func divide(_ ids: [ID], _ stem: String) {
    let isFlattened = { (id: ID) in self.index.shape(id).properties.contains { $0.container != nil } }
    var parts: [(key: String, ids: [ID])] = []
    for id in ids {
      let key = "\(index.uid(id)?.parts.joined(separator: ",") ?? "")\(isFlattened(id) ? " flattened" : "")"
      if let part = parts.firstIndex(where: { $0.key == key }) {
        parts[part].ids.append(id)
      } else {
        parts.append((key, [id]))
      }
    }
    let hasUID = parts.contains { !$0.key.isEmpty }
    // The part with the plain name keeps it, else the one with most variants.
    let main = parts.first { part in !part.key.isEmpty && part.ids.contains { index.name($0) == stem } }
    let mainKey = main?.key ?? parts.filter { !$0.key.isEmpty }.max { $0.ids.count < $1.ids.count }?.key ?? ""
    for part in parts {
      if part.key == mainKey || part.key != "" {
        add(part.key == mainKey ? stem : index.name(part.ids[0]), part.ids)
      } else if hasUID {
        for id in part.ids { add(index.name(id), [id]) }
      } else {
        add(stem, part.ids)
      }
    }
  }

  private func add(_ name: String, _ ids: [ID]) {
    let sorted = ids.enumerated().sorted { left, right in
      let (more, fewer) = (index.shape(left.element).properties.count, index.shape(right.element).properties.count)
      return more == fewer ? left.offset < right.offset : more > fewer
    }.map(\.element)
    for id in sorted { numbers[id] = all.count }
    all.append(Family(name: name, variants: sorted, uid: sorted.first.flatMap(index.uid)))
  }

  func number(of id: ID) -> Int? { numbers[id] }

  /// The one family that a schema stands for; `nil` for other values and for a union of several.
  func number(at place: Place, _ context: SchemaIndex.Context) -> Int? {
    let found = Set(index.objects(at: place, context).map { numbers[$0] })
    return found.count == 1 ? found.first ?? nil : nil
  }

  func properties(of family: Family) -> [Family.Property] {
    if let known = knownProperties[family.variants[0]] { return known }
    let found = findProperties(of: family)
    knownProperties[family.variants[0]] = found
    return found
  }

  private func findProperties(of family: Family) -> [Family.Property] {
    var keys: [String] = []
    var found: [String: [(ID, Shape.Property)]] = [:]
    var required: [String: Int] = [:]
    for id in family.variants {
      let shape = index.shape(id)
      for property in shape.properties where SchemaView(property.place)?.node["writeOnly"]?.bool != true {
        if found[property.keyPath] == nil { keys.append(property.keyPath) }
        found[property.keyPath, default: []].append((id, property))
        if shape.required.contains(property.key) { required[property.keyPath, default: 0] += 1 }
      }
    }
    return keys.compactMap { keyPath in
      guard let parts = found[keyPath], let first = parts.first else { return nil }
      return Family.Property(
        key: first.1.key, keyPath: keyPath, places: parts.map(\.1.place),
        isRequired: required[keyPath] == family.variants.count, owner: first.0)
    }
  }

  func context(of property: Family.Property) -> SchemaIndex.Context {
    let isList = SchemaView(property.places[0])?.items != nil
    return index.context(of: property.key, isList: isList, in: property.owner)
  }

  /// The families that lead to an entity: a value of these can't be a struct in one column.
  private(set) lazy var leadToEntities: Set<Int> = {
    var owners: [Int: Set<Int>] = [:]
    for (number, family) in all.enumerated() {
      for id in family.variants {
        for target in index.related(to: id).compactMap({ numbers[$0] }) { owners[target, default: []].insert(number) }
      }
    }
    var found: Set<Int> = []
    var queue = all.indices.filter { all[$0].uid != nil }
    while let next = queue.popLast() {
      for owner in owners[next] ?? [] where found.insert(owner).inserted { queue.append(owner) }
    }
    return found
  }()
}

extension String {
  func trimmingSuffix(_ suffix: String) -> String { hasSuffix(suffix) ? String(dropLast(suffix.count)) : self }
}
