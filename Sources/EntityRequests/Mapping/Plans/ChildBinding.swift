import EntityJSON
import EntityStore

/// Gives uids to the new objects that a request sent nested in another object. The uids come from the answer, before
/// the answer is mapped. The mapping then finds the rows of these objects by uid, as it finds all rows.
final class ChildBinding {
  /// A relationship in the answer, with the objects that the request sent in it.
  private struct Group {
    let property: PropertyModel
    /// The plan of its members.
    let plan: MappingPlan
    let members: [Member]

    /// Whether the link is a column of the members' rows.
    var areHolders: Bool { if case .toMany = property.kind { true } else { false } }
  }

  private struct Member {
    /// `nil` for an object that has its uid already.
    let edits: SentEdits?
    let uid: StoredValue?
    let groups: [Group]
  }

  private let session: UpsertSession
  private let rows: RowWriter
  private var groups: [Group] = []
  /// Relationships whose key the answer lacks, each with the row of its owner.
  private var unmatched: [(plan: MappingPlan, property: Int, pk: Int64)] = []

  /// - Parameters:
  ///   - children: The relationships that were sent with new objects in them.
  ///   - object: The answer's object; `nil` when the answer has none.
  ///   - pk: The row of the object.
  /// - Throws: ``MappingError`` when the number of new objects in a relationship of the answer differs from the number
  ///   sent.
  init(
    _ children: [SentChildren], of object: JSONObject?, _ plan: MappingPlan, row pk: Int64?, _ session: UpsertSession,
    _ rows: RowWriter
  ) throws {
    self.session = session
    self.rows = rows
    guard !children.isEmpty, let object else { return }
    groups = try matched(children, object, plan, pk)
  }

  // MARK: Matching objects of the answer with sent objects

  private func matched(
    _ children: [SentChildren], _ object: JSONObject, _ plan: MappingPlan, _ pk: Int64?
  ) throws -> [Group] {
    try children.compactMap { sent in
      let property = plan.model.properties[sent.property]
      guard let target = property.target else { return nil }
      guard let value = object.value(for: property.key), !value.isNull else {
        session.seen.counted.insert(target)
        if let pk { unmatched.append((plan, sent.property, pk)) }
        return nil
      }
      return try group(sent, property, in: value, plan, session.plan(target))
    }
  }

  private func group(
    _ sent: SentChildren, _ property: PropertyModel, in value: JSONValue, _ plan: MappingPlan, _ target: MappingPlan
  ) throws -> Group {
    let elements = try (value.array.map { Array($0) } ?? [value]).compactMap { element -> Element? in
      if element.isNothing || target.name(in: element) != nil { return nil }
      let uid = try element.object.map { try target.uid(of: $0) } ?? plan.link(sent.property, to: target, element)
      return Element(uid: uid, object: element.object)
    }
    let known = Set(sent.members.compactMap(\.uid))
    let new = sent.members.filter(\.isNew)
    var candidates = elements.filter { $0.uid.map { !known.contains($0) } ?? false }
    // The server's list may also have older objects; those with a row here are not new.
    if candidates.count != new.count {
      candidates = try candidates.filter { try $0.uid.map { try rows.find(target.model, uid: $0) == nil } ?? false }
    }
    guard candidates.count == new.count else {
      throw plan.error(
        sent.property,
        "\(new.count) new \(new.count == 1 ? "object was" : "objects were") sent, and the answer has \(candidates.count) that "
          + "may be \(new.count == 1 ? "it" : "those")")
    }
    var members = try zip(new, Self.order(candidates, as: new)).map { try member($0, $1, target) }
    for known in sent.members where !known.isNew && !known.children.isEmpty {
      guard let element = elements.first(where: { $0.uid == known.uid }) else { continue }
      members.append(try member(known, element, target))
    }
    return Group(property: property, plan: target, members: members)
  }

  private struct Element {
    let uid: StoredValue?
    let object: JSONObject?
  }

  private func member(_ sent: SentChildren.Member, _ element: Element, _ target: MappingPlan) throws -> Member {
    let groups = try element.object.map { try matched(sent.children, $0, target, sent.edits?.pk) } ?? []
    return Member(edits: sent.edits, uid: element.uid, groups: groups)
  }

  /// The elements in the order of the sent objects. An element that repeats the values of a sent object is that object;
  /// all other elements keep their order.
  private static func order(_ elements: [Element], as sent: [SentChildren.Member]) -> [Element] {
    guard let body = sent.first?.body, let object = elements.first?.object else { return elements }
    let keys = body.map(\.key).filter { object.value[$0] != nil }
    func text(_ object: JSONObject) -> String {
      keys.reduce(into: "") { $0 += (object.value[$1]?.description ?? "") + "\n" }
    }
    var places: [String: [Int]] = [:]
    for (index, element) in elements.enumerated().reversed() {
      if let object = element.object { places[text(object), default: []].append(index) }
    }
    let found = sent.map { places[text($0.body)]?.popLast() }
    let taken = Set(found.compactMap(\.self))
    var rest = elements.indices.filter { !taken.contains($0) }.makeIterator()
    return found.compactMap { ($0 ?? rest.next()).map { elements[$0] } }
  }

  // MARK: Acknowledgement

  /// Acknowledges the edits of the sent objects, and gives new objects their uids. The target of a link comes before
  /// the object that holds the link.
  ///
  /// - Parameter own: Acknowledges the edits of the object that the request was made on.
  func acknowledge(_ mapper: Mapper<RowTarget>, own: () throws -> Void) throws {
    try acknowledge(groups, own: own)
    try bind(groups, mapper)
  }

  private func acknowledge(_ groups: [Group], own: () throws -> Void) throws {
    for group in groups where !group.areHolders { try acknowledge(group) }
    try own()
    for group in groups where group.areHolders { try acknowledge(group) }
  }

  private func acknowledge(_ group: Group) throws {
    let model = group.plan.model
    for member in group.members {
      try acknowledge(member.groups) {
        guard let edits = member.edits else { return }
        session.acknowledgeChild(try edits.acknowledge(on: rows) { session.sentLater(model, $0) }, of: model)
      }
    }
  }

  private func bind(_ groups: [Group], _ mapper: Mapper<RowTarget>) throws {
    for group in groups {
      let model = group.plan.model
      for member in group.members {
        if let edits = member.edits, let uid = member.uid {
          let pk = rows.collisions.survivor(model, edits.pk)
          if try rows.find(model, pk: pk) == nil {
            // The object was deleted here before the server made it.
            try rows.edits.leaveTombstone(model, edits.pk, uid)
          } else {
            _ = try mapper.bind(group.plan, uid: uid, row: pk)
          }
        }
        try bind(member.groups, mapper)
      }
    }
  }

  // MARK: Relationships whose keys are absent

  /// Checks that the answer inserted no object into a relationship whose key it seemed to lack. An update by hand may
  /// read such objects from another key, and nothing tells whether they are the sent objects.
  ///
  /// - Throws: ``MappingError``.
  func check(_ target: RowTarget) throws {
    for (plan, property, pk) in unmatched {
      let pk = rows.collisions.survivor(plan.model, pk)
      let related = try target.members(plan.model, property, of: pk).rows + [target.link(plan.model, property, of: pk)]
      guard session.seen.inserted.isDisjoint(with: related) else {
        throw plan.error(property, "new objects were sent, and which of the answer's objects they are is not known")
      }
    }
  }
}
