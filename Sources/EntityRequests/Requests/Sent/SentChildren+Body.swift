import EntityJSON
import EntityStore

extension SentChildren {
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
