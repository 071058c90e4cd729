extension LooseGraph {
  /// A relationship of an object.
  struct Place: Hashable {
    let key: Key
    let property: Int

    init(_ key: Key, _ property: Int) { (self.key, self.property) = (key, property) }
  }

  /// The values of a loose object.
  final class Record {
    let key: Key
    let model: EntityModel
    weak var graph: LooseGraph?
    /// The attributes, and the row ids of the links.
    var values: RowValues
    /// The attributes that were set.
    var attributes = ColumnMask()
    /// The members of to-many relationships.
    private(set) var lists: [Int: LooseList] = [:]
    /// The relationships without inverse by which loose objects lead to this object.
    private(set) var holders: Set<Place> = []
    weak var object: (any ManagedEntity)?
    var observers: RowObservers?

    init(_ key: Key, _ model: EntityModel, _ graph: LooseGraph) {
      (self.key, self.model, self.graph) = (key, model, graph)
      values = RowValues(count: model.properties.count)
    }

    /// The object that a link leads to.
    func target(_ index: Int) -> Key? {
      let pk = values.link(index)
      guard pk != 0, case .toOne = model.properties[index].kind, let target = model.properties[index].targetType else {
        return nil
      }
      return Key(target, pk)
    }

    /// All objects that this object leads to; the members of a list are in its order.
    var targets: [Key] {
      model.properties.flatMap { property in
        property.isList ? members(property.index) : target(property.index).map { [$0] } ?? []
      }
    }

    /// The members of a to-many relationship.
    func members(_ index: Int) -> [Key] { lists[index]?.members ?? [] }

    func count(_ index: Int) -> Int { lists[index]?.count ?? 0 }

    func contains(_ index: Int, _ member: Key) -> Bool { lists[index]?.contains(member) ?? false }

    // MARK: One side

    func setLink(_ index: Int, _ target: Key?, _ news: inout LooseNews) {
      writeLink(index, target)
      news.add(self, index)
    }

    private func writeLink(_ index: Int, _ target: Key?) {
      values.setLink(target?.pk ?? 0, index)
      object?.loadColumns(RowReader(values, ColumnMask(index)))
    }

    func setList(_ index: Int, _ list: LooseList, _ news: inout LooseNews) {
      guard members(index) != list.members else { return }
      lists[index] = list
      graph?.listChanged(key, index)
      news.add(self, index)
    }

    /// Adds a member to a list, or takes it out.
    func change(_ index: Int, _ member: Key, isIn: Bool, _ news: inout LooseNews) {
      guard contains(index, member) != isIn else { return }
      if isIn { lists[index, default: LooseList()].append(member) } else { lists[index]?.remove(member) }
      graph?.listChanged(key, index)
      news.add(self, index)
    }

    func hold(_ place: Place, isHeld: Bool) {
      if isHeld { holders.insert(place) } else { holders.remove(place) }
    }

    /// Replaces a target of a relationship by another key of the same object.
    func replace(_ target: Key, with other: Key, in index: Int) {
      if model.properties[index].isList {
        lists[index]?.replace(target, with: other)
        graph?.listChanged(key, index)
      } else {
        writeLink(index, other)
      }
    }
  }
}

/// The members of a to-many relationship of a loose object, in their order.
struct LooseList {
  /// A removed member leaves a gap.
  private var slots: [LooseGraph.Key?] = []
  private var places: [LooseGraph.Key: Int] = [:]

  init(_ members: [LooseGraph.Key] = []) {
    for member in members { append(member) }
  }

  var members: [LooseGraph.Key] { slots.compactMap(\.self) }

  var count: Int { places.count }

  func contains(_ member: LooseGraph.Key) -> Bool { places[member] != nil }

  mutating func append(_ member: LooseGraph.Key) {
    guard !contains(member) else { return }
    places[member] = slots.count
    slots.append(member)
  }

  mutating func remove(_ member: LooseGraph.Key) {
    guard let place = places.removeValue(forKey: member) else { return }
    slots[place] = nil
    // Constant cost per removal.
    if slots.count > 16 + places.count * 2 { self = LooseList(members) }
  }

  mutating func replace(_ member: LooseGraph.Key, with other: LooseGraph.Key) {
    guard let place = places.removeValue(forKey: member) else { return }
    places[other] = place
    slots[place] = other
  }
}

/// The relationships that a change changed and that somebody may observe.
struct LooseNews {
  private var places: [(record: LooseGraph.Record, property: Int)] = []
  private var known: Set<LooseGraph.Place> = []

  mutating func add(_ record: LooseGraph.Record, _ property: Int) {
    guard record.observers != nil, known.insert(.init(record.key, property)).inserted else { return }
    places.append((record, property))
  }

  /// Tells the observers. They may link objects and insert them, which ends records. So everything is looked up before
  /// the first call.
  func tell() {
    let news = places.map { record, property in
      (record.graph?.object(record.key), record.model, property, record.observers?.registrar)
    }
    for (object, model, property, registrar) in news {
      if let object, let registrar { model.notify(object, property, registrar) }
    }
  }
}
