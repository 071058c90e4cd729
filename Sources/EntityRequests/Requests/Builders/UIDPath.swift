import EntityJSON
public import EntityStore
import Foundation

/// A uid as the URL of its object has it: a text for each part, with its name in patterns.
struct UIDPath: Sendable {
  let parts: [(name: String, text: String)]

  init(parts: [(name: String, text: String)]) { self.parts = parts }

  /// - Parameter template: The form of the URL, which may have a part in its query; `nil` for segments alone.
  /// - Throws: ``RequestError``: `missingUID` without a uid, `invalidRequest` for a value that no URL can hold.
  init(_ uid: StoredValue?, of model: EntityModel, in template: URLTemplate? = nil) throws {
    guard let uid, let parts = Self.texts(uid, of: model), parts.allSatisfy({ !$0.text.isEmpty }) else {
      throw RequestError(
        .missingUID, "An object of '\(model.name)' has no uid yet, so it has no URL. POST it first, or name a resource."
      )
    }
    self.parts = parts
    try check(template) { "The uid of an object of '\(model.name)' is '\($0)', which no URL can hold." }
  }

  /// - Throws: ``RequestError`` of kind `invalidRequest`.
  fileprivate func check(_ template: URLTemplate?, _ message: (String) -> String) throws {
    // Encoding them does not help: `%2E%2E` means the same (RFC 3986 §6.2.2.2), which is another resource. In a query
    // nothing is resolved.
    for part in parts where !part.text.isSafeSegment && template?.isInQuery(part.name) != true {
      throw RequestError(.invalidRequest, message(part.text))
    }
  }

  /// - Throws: ``RequestError``: `missingUID` for an empty uid, `invalidRequest` for a uid that a URL can't hold, that
  ///   has another number of texts than the URL has parameters, or that is not in the URL at all.
  init<E: RemoteEntity>(_ uid: some ResourceUID, of type: E.Type) throws {
    if let uid = uid as? CompositeUID {
      self = try UIDPath(uid, of: type)
      return
    }
    let template = try E.ownTemplate
    let texts = try uid.uidSegments(of: type)
    guard !texts.isEmpty, !texts.contains("") else {
      throw RequestError(.missingUID, "A uid of '\(E.entityName)' is empty, so it names no object.")
    }
    if let template, texts.count == 1, !template.takesUIDAlone {
      throw RequestError(
        .invalidRequest,
        "The URLs of '\(E.entityName)', '\(template)', are not made of a uid alone. Make one with `resource(of:)`, or use the "
          + "object's own verb.")
    }
    let names = template?.names ?? texts.map { _ in "uid" }
    guard names.count == texts.count else {
      throw RequestError(
        .invalidRequest, "A uid of '\(E.entityName)' has \(texts.count) texts, and its URL takes \(names.count).")
    }
    parts = zip(names, texts).map { ($0, $1) }
    try check(template) { _ in
      "A uid of '\(E.entityName)' is '.' or '..', or has it between slashes, which no URL can hold."
    }
  }

  /// - Throws: The errors of the other initializers; `StoreError` for parts that the uid of the entity does not have.
  init(_ uid: CompositeUID, of type: any RemoteEntity.Type) throws {
    let model = try Client.current.store.core.schema.model(type)
    try self.init(uid.stored(for: model), of: model, in: type.ownTemplate)
  }

  /// The values of an object whose URL has attributes that are not of the uid.
  init<E: RemoteEntity>(_ object: E, in template: URLTemplate) throws {
    parts = try template.names.map { ($0, try object.ownValue($0)) }
    try check(template) { "A value in the URL of an object of '\(E.entityName)' is '\($0)', which no URL can hold." }
  }

  /// The values of an object that was deleted here.
  ///
  /// - Throws: ``RequestError``: `missingUID` for a value that is not known, `invalidRequest` for one that no URL can hold.
  init<E: RemoteEntity>(
    deleted uid: StoredValue, _ address: ObjectAddress?, of type: E.Type, _ model: EntityModel, in template: URLTemplate
  ) throws {
    let known = try UIDPath(uid, of: model).parts
    parts = try template.names.map { name in
      let text =
        known.first { $0.name == name }?.text
        ?? model.pathAttribute(name).flatMap { address?[model.properties[$0].name] }
      guard let text, !text.isEmpty else {
        throw RequestError(
          .missingUID,
          "The object of '\(E.entityName)' is gone here, and its '\(name)' is not known, which its URL needs. Send the deletion "
            + "with a request of your own.")
      }
      return (name, text)
    }
    try check(template) { "A value in the URL of an object of '\(E.entityName)' is '\($0)', which no URL can hold." }
  }

  /// The texts of a URL, in the form that they have there.
  init?(_ text: (_ name: String, _ place: Int) -> String?, of model: EntityModel) {
    var parts: [(name: String, text: String)] = []
    for (place, name) in (model.uidParts?.parts.map(\.name) ?? ["uid"]).enumerated() {
      guard let found = text(name, place) else { return nil }
      parts.append((name, found))
    }
    self.parts = parts
  }

  private static func texts(_ uid: StoredValue, of model: EntityModel) -> [(name: String, text: String)]? {
    guard let composite = model.uidParts else {
      return model.uidType.flatMap { uid.uidText($0) }.map { [("uid", $0)] }
    }
    guard let values = composite.values(of: uid) else { return nil }
    return zip(composite.typed, values).map { ($0.part.name, $1.uidText($0.type) ?? "") }
  }
}

extension EntityModel {
  /// The uid that texts of a URL name; `nil` when they name none.
  ///
  /// - Parameter text: Gives the text of a part by its name in patterns and its place.
  func uid(_ text: (_ name: String, _ place: Int) -> String?) -> StoredValue? {
    guard let uidParts else {
      return uidType.flatMap { type in text("uid", 0).flatMap { StoredValue(uidText: $0, type) } }
    }
    var values: [StoredValue] = []
    for (place, (part, type)) in uidParts.typed.enumerated() {
      guard let value = text(part.name, place).flatMap({ StoredValue(uidText: $0, type) }) else { return nil }
      values.append(value)
    }
    return UIDParts.uid(values)
  }
}

extension RemoteEntity {
  /// The identifier as URLs have it.
  ///
  /// - Throws: ``RequestError`` of kind `missingUID` without an identifier or with an empty one, and of kind
  ///   `invalidRequest` for an identifier that a URL can't hold.
  var uidPath: UIDPath {
    get throws {
      let model = _$state.model
      guard let template = try Self.ownTemplate else { return try UIDPath(serverUID, of: model) }
      return try template.isOfUID(model)
        ? UIDPath(serverUID, of: model, in: template) : UIDPath(self, in: template)
    }
  }

  /// The server's value of an attribute in the URL of this object: after an edit, the server still has the former one.
  ///
  /// - Throws: ``RequestError`` of kind `missingUID`.
  fileprivate func ownValue(_ name: String) throws -> String {
    let model = _$state.model
    let index = name == "uid" ? model.uid : model.pathAttribute(name)
    if let index, model.identity.contains(index) {
      let parts = try UIDPath(serverUID, of: model).parts
      if let text = (parts.first { $0.name == name } ?? parts.first)?.text { return text }
    } else if let index, case .attribute(let type, _) = model.properties[index].kind,
      let text = try urlValue(index)?.uidText(type), !text.isEmpty
    {
      return text
    }
    throw RequestError(
      .missingUID,
      "An object of '\(Self.entityName)' has no '\(name)' of the server yet, which its URL needs. POST it first, or name a "
        + "resource.")
  }

  private func urlValue(_ index: Int) throws -> StoredValue? {
    if let value = try entityContext?.answers.serverValue(of: self, index) { return value }
    // An object that was made here may be created at its own URL.
    guard isMadeHere || isInserted else { return nil }
    let value = loadedValues(ColumnMask(index))[index]
    return value.isNull ? nil : value
  }

  /// The resource of the object with a composite uid, or of something below it, for any verb.
  ///
  /// ```swift
  /// try await OrderLine.get(OrderLine.resource(uid: ["order": 5, "line": 2]))      // …/lines/5/2
  /// ```
  /// The resource is the base path with a segment for each part, or the one that ``objectPath`` declares.
  ///
  /// - Parameters:
  ///   - uid: A value for each part of the uid.
  ///   - segments: The segments behind the uid, not percent-encoded.
  /// - Returns: An absolute URL.
  /// - Throws: ``RequestError``: `invalidRequest` for values that no URL can hold, `missingUID` for an empty value,
  ///   `noStore`, `notInstalled`; `StoreError` of kind `invalidValue` for parts that the uid of the entity does not
  ///   have.
  public static func resource(uid: CompositeUID, _ segments: String...) throws -> String {
    let path = try UIDPath(uid, of: Self.self)
    return try RequestBuilder(client: try? Client.current).url(Self.self, path: path, segments).absoluteString
  }

  /// The resource of the object whose URL has these values, for any verb; see ``objectPath``.
  ///
  /// ```swift
  /// // objectPath is "repos/ada/engine/issues/{number}"
  /// try await Issue.get(Issue.resource(of: ["number": 1347]))
  /// ```
  ///
  /// - Parameters:
  ///   - values: A value for each parameter of ``objectPath``; `uid` without a declaration.
  ///   - segments: The segments behind the object, not percent-encoded.
  /// - Returns: An absolute URL.
  /// - Throws: ``RequestError``: `missingUID` for a value that is missing or empty, `invalidRequest` for a value that no
  ///   URL can hold; `notInstalled`.
  public static func resource(of values: PathParameters, _ segments: String...) throws -> String {
    let template = try ownTemplate
    let path = UIDPath(parts: (template?.names ?? ["uid"]).map { ($0, values[$0] ?? "") })
    if let part = path.parts.first(where: { $0.text.isEmpty }) {
      throw RequestError(.missingUID, "The value of '\(part.name)' is missing, which a URL of '\(entityName)' needs.")
    }
    try path.check(template) { "A value in a URL of '\(entityName)' is '\($0)', which no URL can hold." }
    return try RequestBuilder(client: try? Client.current).url(Self.self, path: path, segments).absoluteString
  }
}
