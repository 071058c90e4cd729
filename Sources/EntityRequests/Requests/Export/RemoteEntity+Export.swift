public import EntityJSON
public import EntityStore

/// How properties that have no value are exported.
public enum NilValues: Sendable {
  /// As null, which clears the property for the reader.
  case sent
  /// Not at all, which leaves the property as it is for the reader.
  case leftOut
}

extension RemoteEntity {
  /// Values of the object, and of objects that its to-one relationships lead to, under the caller's keys.
  ///
  /// ```swift
  /// try await user.put { try $0.setJSON(user.jsonObject { ["mail": $0.email, "home.city": $0.address.city] }) }
  /// // {"home":{"city":"Oslo"},"mail":"ada@example.com"}
  /// ```
  ///
  /// Each value is as `jsonObject(for:)` has it: through the property's transformer, a relationship as a uid. A
  /// property of a missing object is null. Dots in keys nest.
  ///
  /// - Parameters:
  ///   - nils: Whether null values are sent.
  ///   - fields: The keys, and the property of each.
  /// - Throws: As `jsonObject(for:)`; ``RequestError`` of kind `invalidRequest` also for a key that stands twice with
  ///   different values, and for a key that leads into another key.
  public func jsonObject(
    nils: NilValues = .sent, _ fields: (ExportFields<Self>) -> KeyValuePairs<String, any ExportField>
  ) throws -> JSONObject {
    try ObjectSender(of: self, nils: nils).object(self, fields(ExportFields(way: ExportWay())))
  }

  /// The object with all its properties, and with the properties of related objects.
  ///
  /// ```swift
  /// try post.jsonObject(depth: 1)
  /// // {"author":{"email":"ada@example.com","id":3},"comments":[{"author":3,"id":9,"text":"Fine."}],"id":7,"tags":[…]}
  /// ```
  ///
  /// With depth 0 related objects are their uids, as `jsonObject(for:)` has them. A to-many relationship without an
  /// order is left out, because the links of its members say the same. With each further level, related objects are
  /// written as objects. An object that already encloses the current one stays a uid, so that cycles end, and the
  /// relationship that leads back to it is left out. A placeholder stays a uid too. Embedded objects are nested at any
  /// depth. An object without uid has no key for it, and a property that no response had has none either; see `loaded`.
  ///
  /// With a depth above 0, related objects that the server does not know yet are nested too, so one POST can make an
  /// object with its parts: `try await sale.post { try $0.setJSON(sale.jsonObject(depth: 1)) }`. The answer gives each
  /// of these objects its uid; see `post`.
  ///
  /// `upsert(from:in:)` reads the JSON back, and gives the same objects. An object that is nested in several places is
  /// written several times, so the size grows with each level.
  ///
  /// - Parameters:
  ///   - depth: How many levels of related objects are nested, 0 to 64.
  ///   - nils: Whether properties without a value are null or left out.
  /// - Throws: `StoreError`; ``RequestError`` of kind `invalidRequest` for another depth, for values that JSON can't
  ///   hold, and for two properties with one key and different values; of kind `missingUID` for a related object that the
  ///   server does not know yet and that is not nested, and for a required relationship without one.
  public func jsonObject(depth: Int, nils: NilValues = .sent) throws -> JSONObject {
    try ObjectSender.check(depth: depth)
    let related = try entityContext.map { try RelatedObjects(of: [self], levels: depth, in: $0) }
    return try ObjectSender(
      of: self, nils: nils, isForRequest: false, levels: depth, related: related ?? RelatedObjects()
    )
    .whole(self)
  }
}

extension EntityContext {
  /// The objects that a query finds, each as ``RemoteEntity/jsonObject(depth:nils:)`` has it.
  ///
  /// ```swift
  /// let posts = try await store.read { try $0.jsonArray(of: Post.where { $0.state == .published }, depth: 1) }
  /// ```
  ///
  /// The context reads with a query for each relationship, entity and level, however many objects there are.
  ///
  /// - Parameters:
  ///   - query: The objects, in its order.
  ///   - depth: How many levels of related objects are nested, 0 to 64.
  ///   - nils: Whether properties without a value are null or left out.
  /// - Throws: As ``RemoteEntity/jsonObject(depth:nils:)``.
  public func jsonArray<E: RemoteEntity>(
    of query: EntityQuery<E>, depth: Int = 0, nils: NilValues = .sent
  ) throws -> JSONArray {
    try ObjectSender.check(depth: depth)
    let objects = try fetch(query)
    guard let first = objects.first else { return [] }
    let related = try RelatedObjects(of: objects, levels: depth, in: self)
    let sender = ObjectSender(of: first, nils: nils, isForRequest: false, levels: depth, related: related)
    return JSONArray(try objects.map { try sender.whole($0).value })
  }
}
