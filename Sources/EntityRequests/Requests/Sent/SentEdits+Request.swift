import EntityJSON
import EntityStore
import HTTPFoundation

extension SentEdits {
  /// The edits that `request` carries to the server.
  ///
  /// A body that is made of properties of the object carries the edits of these properties. Any other body carries the
  /// edits of the properties whose keys its JSON has. If the body wraps one object, as in `{"user": {…}}`, the keys of
  /// that object count. A body that names no property acknowledges none: an edit that was not sent must not be lost. A
  /// value that the object does not have acknowledges no edit either. A value in another form acknowledges one only at
  /// the object's own URL. Forms are read as ``SentFields`` says. Embedded objects in the body are sent with it, in the
  /// same way, and so are new objects that it nests.
  ///
  /// - Parameters:
  ///   - properties: The properties that the body was made of; `nil` when the project made it.
  ///   - namesUID: Whether the URL has the object's uid: then the uid is sent, with any body.
  static func carried<E: RemoteEntity>(
    by request: URLRequest, of object: E, _ properties: [PartialKeyPath<E>]?, isOwnURL: Bool, namesUID: Bool
  ) -> (edits: SentEdits, children: [SentChildren])? {
    var (mask, body) =
      properties.flatMap { knownProperties(of: object, $0, in: request) }
      ?? sentProperties(of: object, in: request, isOwnURL)
    if namesUID { mask.formUnion(object._$state.model.identity.subtracting(object._$state.model.hidden)) }
    let children = body.map { SentChildren.nested(in: object, $0) } ?? []
    // The answer makes a row of an object that is not saved yet. The row needs all required relationships.
    let isNeeded =
      !mask.isEmpty || !children.isEmpty || object.isInserted && !object._$state.model.required.isEmpty
      || isOwnURL && object.isMadeHere
    guard isNeeded else { return nil }
    let marker = Marker()
    let edits = SentEdits(
      of: object, mask, embedded: SentEmbedded(isOwnURL: isOwnURL, marker: marker).embedded(in: object, mask, in: body),
      endsInsertion: isOwnURL && (object.isInserted || object.isMadeHere), marker: marker)
    return (edits, children)
  }

  /// The properties that the body was made of; `nil` when they would make another body now, because the project's
  /// closure has changed the body or the object.
  private static func knownProperties<E: RemoteEntity>(
    of object: E, _ properties: [PartialKeyPath<E>], in request: URLRequest
  ) -> (mask: ColumnMask, body: JSONObject?)? {
    guard let body = try? object.jsonObject(for: properties), E.rooted(body).value.rawBytes == request.httpBody else {
      return nil
    }
    var mask = ColumnMask()
    for property in properties {
      if let index = object._$state.model.index(of: property) { mask.insert(index) }
    }
    return (mask, body)
  }

  /// The properties that a request carries, and the object in its body that they are in.
  private static func sentProperties<E: RemoteEntity>(
    of object: E, in request: URLRequest, _ isOwnURL: Bool
  ) -> (mask: ColumnMask, body: JSONObject?) {
    if let fields = SentFields(of: request) { return fields.properties(of: object) }
    // A server may have taken either value of a key that stands twice.
    guard let data = request.httpBody,
      let body = (try? JSONValue(parsing: data, duplicateKeys: .refused))?.object
    else { return (ColumnMask(), nil) }
    let mask = sentProperties(of: object, in: body, isOwnURL)
    guard mask.isEmpty,
      let wrapped = E.requestRootKey.flatMap({ body.value[$0]?.object })
        ?? (body.count == 1 ? body.first(where: { _ in true })?.value.object : nil)
    else { return (mask, body) }
    return (sentProperties(of: object, in: wrapped, isOwnURL), wrapped)
  }

  static func sentProperties<E: ManagedEntity>(
    of object: E, in body: JSONObject, _ isOwnURL: Bool
  ) -> ColumnMask {
    var mask = ColumnMask()
    let model = object._$state.model
    // A declaration that names no property sends nothing either.
    guard let keys = try? RequestKeys(model) else { return mask }
    for property in model.properties where !property.isHidden {
      guard let value = body.value(for: keys[property]), SentEmbedded.allows(value, for: property, of: object) else {
        continue
      }
      let own = try? object.exported(property)
      // A value of another kind was sent in a form of the project's own. A different value of the same kind is not the
      // edited value.
      if own == value || own?.isSameUUID(as: value.string) == true
        || (model.lists.contains(property.index) && !property.isOrdered && own.map { sameMembers($0, value) } == true)
        || object.hasNames(value, in: property) ?? (isOwnURL && own?.isOfAnotherForm(than: value) != false)
      {
        mask.insert(property.index)
      }
    }
    return mask
  }

  /// True when two lists have the same ids, in any order: the relationship has no order.
  private static func sameMembers(_ one: JSONValue, _ other: JSONValue) -> Bool {
    guard let one = one.array, let other = other.array, one.count == other.count else { return false }
    let ids = [one, other].map { list in list.map(\.description).sorted() }
    return ids[0] == ids[1]
  }
}

extension ManagedEntity {
  /// True when a value names the objects of a relationship by their ``RemoteEntity/nameAttribute``; `nil` for a value that
  /// has no names.
  fileprivate func hasNames(_ value: JSONValue, in property: PropertyModel) -> Bool? {
    func name(_ object: any ManagedEntity) -> String? {
      let model = object._$state.model
      guard let type = model.type as? any RemoteEntity.Type, let index = MappingPlan.nameAttribute(of: type, model),
        case .text(let name) = object.loadedValues(ColumnMask(index))[index]
      else { return nil }
      return name
    }
    guard property.isRelationship, let members = try? members(property), !members.isEmpty else { return nil }
    let names = members.compactMap(name)
    let sent = value.array.map { $0.compactMap(\.string) } ?? [value.string].compactMap(\.self)
    guard names.count == members.count, !sent.isEmpty, sent.count == value.array?.count ?? 1 else { return nil }
    return property.isOrdered ? sent == names : sent.sorted() == names.sorted()
  }
}

extension JSONValue {
  /// True when the value is a UUID as this package writes it, and the text is the same UUID in any case.
  func isSameUUID(as text: String?) -> Bool {
    guard let text, let own = string, let uuid = UUID(uuidString: own), uuid.uuidString == own else { return false }
    return UUID(uuidString: text) == uuid
  }

  /// True when `value` is written in another form than this one, because a project may have a form of its own.
  fileprivate func isOfAnotherForm(than value: JSONValue) -> Bool {
    guard kind == value.kind else { return true }
    guard let one = array?.first(where: { _ in true }), let other = value.array?.first(where: { _ in true }) else {
      return false
    }
    return one.kind != other.kind
  }
}
