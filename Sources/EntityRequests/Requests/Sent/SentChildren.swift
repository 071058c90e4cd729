import EntityJSON
import EntityStore

/// The objects of one relationship that the body of a request nests in the object of the request, or in another nested
/// object. The answer tells the uids of objects that the server did not know.
///
/// ```
/// POST /sales  {"total": "11", "tenders": [{"amount": "5"}, {"amount": "6"}]}
/// 201          {"id": 9, "tenders": [{"id": 138, "amount": "5"}, {"id": 139, "amount": "6"}]}
/// ```
struct SentChildren: Sendable {
  let property: Int
  /// In the order of the body.
  let members: [Member]

  struct Member: Sendable {
    /// `nil` for an object that the server does not know.
    let uid: StoredValue?
    /// The object as the body has it.
    let body: JSONObject
    /// The edits of a new object that were sent with it.
    let edits: SentEdits?
    let children: [SentChildren]

    var isNew: Bool { edits != nil }
    /// Its own edits, and the edits of all new objects in it.
    var allEdits: [SentEdits] { (edits.map { [$0] } ?? []) + children.flatMap(\.allEdits) }
  }

  var allEdits: [SentEdits] { members.flatMap(\.allEdits) }

  /// The relationships of an object whose values in the body contain new objects, at any depth.
  ///
  /// - Parameter body: The object in the body.
  static func nested<E: ManagedEntity>(in object: E, _ body: JSONObject) -> [SentChildren] {
    let model = object._$state.model
    guard let keys = try? RequestKeys(model) else { return [] }
    return model.properties.compactMap { property in
      guard !property.isHidden, !property.leadsToEmbedded, property.target != nil,
        let value = body.value(for: keys[property]) ?? body.value(for: property.key),
        let members = members(of: object, property, value)
      else { return nil }
      let group = SentChildren(property: property.index, members: members)
      return group.allEdits.isEmpty ? nil : group
    }
  }

  /// The nested objects of a value, each with the object that it was made of; `nil` when the value does not tell which
  /// these are.
  private static func members<E: ManagedEntity>(
    of object: E, _ property: PropertyModel, _ value: JSONValue
  ) -> [Member]? {
    guard let objects = try? SentEmbedded.members(of: object, property) else { return nil }
    let elements = value.array.map { Array($0) } ?? [value]
    // Elements may be uids, too. Positions agree only if there is one element for each object.
    guard elements.count == objects.count else { return nil }
    return zip(objects, elements).compactMap { target, element in
      element.object.map { member(target, $0, of: property) }
    }
  }

  private static func member<E: ManagedEntity>(_ target: E, _ body: JSONObject, of property: PropertyModel) -> Member {
    let children = nested(in: target, body)
    guard target.serverUID == nil, !target.isDeleted, target._$state.model.uid != nil else {
      return Member(uid: target.serverUID, body: body, edits: nil, children: children)
    }
    var mask = SentEdits.sentProperties(of: target, in: body, true)
    // The place in the body has sent the link to the parent.
    if case .toMany(_, let inverse, _) = property.kind { mask.insert(inverse) }
    for child in children { mask.insert(child.property) }
    let marker = SentEdits.Marker()
    let embedded = SentEmbedded(isOwnURL: true, marker: marker).embedded(in: target, mask, in: body)
    return Member(
      uid: nil, body: body,
      edits: SentEdits(of: target, mask, embedded: embedded, endsInsertion: true, marker: marker), children: children)
  }
}
