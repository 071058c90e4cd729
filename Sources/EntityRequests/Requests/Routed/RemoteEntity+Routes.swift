import EntityJSON
import EntityStore
import Foundation

extension RemoteEntity {
  /// The resource of a route with a name, for any verb of this entity, of another entity or of the client.
  ///
  /// ```swift
  /// // .named("search", at: "search/{term}")
  /// try await User.get(User.resource(named: "search", ["term": "a/b"]))      // …/users/search/a%2Fb
  /// ```
  ///
  /// - Parameters:
  ///   - name: The name of one of ``routes``.
  ///   - parameters: A value for each wildcard of its pattern.
  /// - Returns: An absolute URL.
  /// - Throws: ``RequestError`` of kind `invalidRoute` for an unknown name, of kind `invalidRequest` for values that
  ///   make no valid path; `notInstalled`.
  public static func resource(named name: String, _ parameters: PathParameters = [:]) throws -> String {
    try RequestBuilder(client: try? Client.current).resource(Self.self, pattern(named: name).reference(parameters))
  }

  /// The resource of a route with a name, with values of this object: its uid for `{uid}`, its attributes by their names.
  ///
  /// - Parameters:
  ///   - name: The name of one of ``routes``.
  ///   - parameters: Values for the other wildcards of the pattern; they come before the values of the object.
  /// - Returns: An absolute URL.
  /// - Throws: ``RequestError`` as on the type, and `missingUID` for an object that has no uid yet.
  public func resource(named name: String, _ parameters: PathParameters = [:]) throws -> String {
    let pattern = try Self.pattern(named: name)
    var parameters = parameters
    for name in pattern.names where parameters[name] == nil { parameters[name] = try pathValue(name) }
    return try RequestBuilder(client: try? Client.current).resource(Self.self, pattern.reference(parameters))
  }

  /// The resource of a relationship of this object, for any verb: the URL of its route among ``routes``, else the URL
  /// of the object followed by the key of the property.
  ///
  /// ```swift
  /// try user.resource(\.posts)                                   // https://api.example.com/users/7/posts
  /// try await post.post(\.title, to: user.resource(\.posts))
  /// ```
  ///
  /// - Parameter property: The relationship.
  /// - Returns: An absolute URL.
  /// - Throws: ``RequestError`` of kind `missingUID` for an object that has no uid yet, of kind `invalidRequest` for
  ///   values that make no valid path, of kind `invalidRoute` for a key path of no relationship; `notInstalled`.
  public func resource<Related>(_ property: KeyPath<Self, Related>) throws -> String {
    try relationshipResource(property).resource
  }

  /// As ``resource(_:)``, with the number of the property.
  func relationshipResource(_ property: PartialKeyPath<Self>) throws -> (resource: String, property: Int) {
    let builder = RequestBuilder(client: try? Client.current)
    let model = ObjectSender(of: self).model(of: self)
    guard let index = model.index(of: property), model.properties[index].isRelationship else {
      throw RequestError(.invalidRoute, "A key path is none of a relationship of '\(Self.entityName)'.")
    }
    guard let route = Self.routes.first(where: { $0.property == property }) else {
      return (try builder.resource(self, model.properties[index].key), index)
    }
    let pattern = try URLTemplate(route.pattern)
    var parameters = PathParameters()
    for name in pattern.names { parameters[name] = try pathValue(name) }
    return (try builder.resource(Self.self, pattern.reference(parameters)), index)
  }

  private static func pattern(named name: String) throws -> URLTemplate {
    let route = routes.first { if case .name(name) = $0.purpose { true } else { false } }
    guard let route else { throw RequestError(.invalidRoute, "'\(entityName)' has no route '\(name.escaped)'.") }
    return try URLTemplate(route.pattern)
  }

  /// The value of an attribute for a path; `nil` for a name of no attribute, and for an attribute without a value.
  private func pathValue(_ name: String) throws -> String? {
    let model = ObjectSender(of: self).model(of: self)
    guard let index = model.pathAttribute(name) else { return nil }
    if index == model.uid { return try UIDPath(serverUID, of: model).parts.first?.text }
    if let text = try uidPart(index, model) { return text }
    let value = try exportedAttribute(model.properties[index])
    return value.string ?? value.lexeme
  }

  /// A part of a composite uid for a path; `nil` for any other attribute.
  fileprivate func uidPart(_ index: Int, _ model: EntityModel) throws -> String? {
    guard let part = model.uidParts?.typed.first(where: { $0.part.index == index }) else { return nil }
    let value = loadedValues(ColumnMask(index))[index]
    guard let text = value.uidText(part.type), !text.isEmpty else {
      throw RequestError(
        .missingUID, "An object of '\(Self.entityName)' has no '\(part.part.name)' yet, which its URL needs.")
    }
    return text
  }
}

extension RequestBuilder {
  fileprivate func resource<E: RemoteEntity>(_ type: E.Type, _ path: String) throws -> String {
    try url(type, path).absoluteString
  }

  /// The URL of an object, with a segment behind it.
  fileprivate func resource<E: RemoteEntity>(_ object: E, _ segment: String) throws -> String {
    try url(E.self, nil, uid: object.uidPath, segments: [segment]).absoluteString
  }
}
