import EntityJSON
import EntityStore

/// The embedded objects in the body of a request: finds the objects that they were made of, and the properties that
/// were sent.
struct SentEmbedded {
  let isOwnURL: Bool
  /// The marker of the object's own edits.
  let marker: SentEdits.Marker

  /// - Parameters:
  ///   - mask: The properties of the object that were sent.
  ///   - body: The object in the body; `nil` when it is not known.
  func embedded<E: ManagedEntity>(in object: E, _ mask: ColumnMask, in body: JSONObject?) -> [SentEdits.Embedded] {
    guard let context = object.entityContext, let keys = try? RequestKeys(object._$state.model) else { return [] }
    return object._$state.model.properties.compactMap { property in
      guard mask.contains(property.index), let target = Self.target(of: property, in: context), target.uid == nil,
        let members = try? Self.members(of: object, property)
      else { return nil }
      var link: Int?
      if case .toMany(_, let inverse, _) = property.kind { link = inverse }
      let value = body?.value(for: keys[property])
      let nested = value.map { $0.array.map { $0.map(\.object) } ?? [$0.object] } ?? []
      let pairs = Self.pairs(members, nested.compactMap(\.self))
      let removed = link.map { removedMembers(of: object, property, $0, besides: members) } ?? []
      return SentEdits.Embedded(
        property: property.index, members: pairs.map { edits(of: $0.member, in: $0.body, link) }, removed: removed)
    }
  }

  private func edits(of member: any ManagedEntity, in body: JSONObject?, _ link: Int?) -> SentEdits {
    edits(ofMember: member, body, link)
  }

  private func edits<E: ManagedEntity>(ofMember member: E, _ body: JSONObject?, _ link: Int?) -> SentEdits {
    var mask = body.map { SentEdits.sentProperties(of: member, in: $0, isOwnURL) } ?? ColumnMask()
    // Its place in the list was sent with the list.
    if let link { mask.insert(link) }
    return SentEdits(
      of: member, mask, embedded: embedded(in: member, mask, in: body), marker: SentEdits.Marker(in: marker))
  }

  /// The members that were taken out of a list, if that is not saved. A member that is in another list by now stays an
  /// edit of that list.
  private func removedMembers<E: ManagedEntity>(
    of object: E, _ property: PropertyModel, _ link: Int, besides members: [any ManagedEntity]
  ) -> [SentEdits] {
    let removed = try? object.entityContext?.answers.savedMembers(of: object, property.index)
    let kept = Set(members.map(\._$state.pk))
    return (removed ?? []).filter { !kept.contains($0._$state.pk) && !$0.isDeleted && $0.link(link) == 0 }
      .map { edits(of: $0, in: nil, link) }
  }

  // MARK: Which objects they are

  /// The objects of a list in the body's order, each with the object of the body that has its values, if there is one.
  private static func pairs(
    _ members: [any ManagedEntity], _ bodies: [JSONObject]
  ) -> [(member: any ManagedEntity, body: JSONObject?)] {
    guard members.count == bodies.count, let model = members.first?._$state.model, let keys = try? RequestKeys(model)
    else {
      return members.map { ($0, nil) }
    }
    // Matches by the values under the same keys. Objects without a match are matched by their order.
    var known: [ColumnMask: [String: [Int]]] = [:]
    var places = [Int?](repeating: nil, count: bodies.count)
    var isTaken = [Bool](repeating: false, count: members.count)
    for (position, body) in bodies.enumerated() {
      var mask = ColumnMask()
      var text = ""
      for property in model.properties {
        guard !property.isHidden, case .attribute = property.kind, let value = body.value(for: keys[property])
        else { continue }
        mask.insert(property.index)
        text += value.description + "\n"
      }
      if known[mask] == nil {
        known[mask] = Dictionary(grouping: members.indices.reversed()) { Self.text(of: members[$0], mask) }
      }
      while let place = known[mask]?[text]?.popLast() {
        guard !isTaken[place] else { continue }
        (places[position], isTaken[place]) = (place, true)
        break
      }
    }
    var rest = members.indices.filter { !isTaken[$0] }.makeIterator()
    return zip(bodies, places).compactMap { body, place in
      (place ?? rest.next()).map { (members[$0], body) }
    }
  }

  private static func text(of member: any ManagedEntity, _ mask: ColumnMask) -> String { text(ofMember: member, mask) }

  private static func text<E: ManagedEntity>(ofMember member: E, _ mask: ColumnMask) -> String {
    mask.indices.reduce(into: "") { text, index in
      let value = try? member.exported(member._$state.model.properties[index])
      text += (value?.description ?? "") + "\n"
    }
  }

  // MARK: Relationships to embedded objects

  /// True when a value of the body can be the value of a relationship to embedded objects: it has as many objects.
  /// Always true for other properties.
  static func allows<E: ManagedEntity>(_ value: JSONValue, for property: PropertyModel, of object: E) -> Bool {
    guard let context = object.entityContext, let target = target(of: property, in: context), target.uid == nil else {
      return true
    }
    guard value.isNull || value.object != nil || value.array != nil else { return true }
    guard let members = try? members(of: object, property) else { return false }
    if let array = value.array { return array.count == members.count }
    return members.count == (value.isNull ? 0 : 1)
  }

  /// True when an embedded object of a relationship, or an object embedded in it, has pending edits.
  ///
  /// - Parameter levels: The most levels that are looked at; no body has more.
  static func areEdited<E: ManagedEntity>(
    in object: E, _ property: PropertyModel, levels: Int = ObjectSender.depth
  ) -> Bool {
    guard levels > 0 else { return false }
    return (try? members(of: object, property))?.contains { isEdited($0, levels - 1) } ?? false
  }

  private static func isEdited<E: ManagedEntity>(_ member: E, _ levels: Int) -> Bool {
    member.isMadeHere || !member.localEdits.isEmpty
      || member._$state.model.properties.contains {
        // A link with an inverse leads back to the parent.
        if case .toOne(_, .some, _) = $0.kind { return false }
        return $0.leadsToEmbedded && areEdited(in: member, $0, levels: levels)
      }
  }

  private static func target(of property: PropertyModel, in context: EntityContext) -> EntityModel? {
    property.target.map { context.core.schema.entities[$0] }
  }

  /// The objects of a relationship, in the order that a body has.
  static func members<E: ManagedEntity>(
    of object: E, _ property: PropertyModel
  ) throws -> [any ManagedEntity] {
    guard let context = object.entityContext else { return [] }
    guard case .toOne(let target, _, _) = property.kind else {
      return try context.answers.members(of: object, property.index)
    }
    let pk = object.link(property.index)
    return pk == 0 ? [] : [context.answers.existing(context.core.schema.entities[target], pk: pk)]
  }
}
