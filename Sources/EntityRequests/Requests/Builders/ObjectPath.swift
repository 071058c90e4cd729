import EntityJSON
import EntityStore
import Foundation

// The URLs of objects that an entity declares with `objectPath`.

extension RemoteEntity {
  /// The form of the URLs of objects; `nil` when these are the base path and the uid.
  ///
  /// - Throws: ``RequestError`` of kind `invalidRoute`.
  static var ownTemplate: URLTemplate? {
    get throws { try objectPath.map { try URLTemplate($0) } }
  }

  /// Checks the URLs of objects.
  ///
  /// - Throws: ``RequestError`` of kind `invalidRoute`, which says what to write.
  static func checkObjectPath(_ model: EntityModel) throws {
    guard let objectPath else { return }
    func refusal(_ reason: String) -> RequestError {
      RequestError(
        .invalidRoute, "The object path of '\(entityName)', '\(objectPath.escaped)', can't be used: \(reason).")
    }
    let template: URLTemplate
    do {
      template = try URLTemplate(objectPath)
    } catch let error as RequestError {
      throw refusal(error.message)
    }
    let uids = model.uidParts?.parts.map(\.name) ?? (model.uid == nil ? [] : ["uid"])
    let names = template.names
    guard !names.isEmpty else {
      let places = (uids.isEmpty ? ["name of an attribute"] : uids).map { "'{\($0)}'" }.joined(separator: ", ")
      throw refusal("nothing in it tells one object from another; write \(places) where the value stands")
    }
    guard template.path.hasNamedWildcardsOnly else { throw refusal("it has a wildcard without a name") }
    for name in names where !uids.contains(name) {
      guard let index = model.pathAttribute(name) else {
        let parts = uids.isEmpty ? "'{uid}'" : uids.map { "'{\($0)}'" }.joined(separator: ", ")
        throw refusal("'{\(name)}' is neither \(parts) nor an attribute")
      }
      // The URL is also made of the value that is left of a deleted object, and the value is read out of the URL.
      guard model.identity.contains(index) || model.properties[index].isSentAsStored else {
        throw refusal("'{\(name)}' is no integer, UUID or text without a transformer; declare it as one of these")
      }
    }
    // A part of the uid alone names several objects.
    if let missing = uids.first(where: { !names.contains($0) }), Set(names).isSubset(of: uids) {
      throw refusal("'{\(missing)}' is missing, and the others alone name several objects")
    }
  }

  /// The attributes in the URLs of objects that are not of the uid.
  static func addressAttributes(_ model: EntityModel) -> [Int] {
    ((try? ownTemplate)?.names ?? []).compactMap { model.pathAttribute($0) }.filter { !model.identity.contains($0) }
  }
}

extension URLTemplate {
  /// Whether the values are those of the uid.
  func isOfUID(_ model: EntityModel) -> Bool {
    Set(names) == Set(model.uidParts?.parts.map(\.name) ?? ["uid"])
  }

  /// Whether a uid of one value gives all that the URL needs.
  var takesUIDAlone: Bool { names == ["uid"] }
}

extension RequestBuilder {
  /// The own URL of the object with these values.
  ///
  /// - Throws: ``RequestError``: `invalidRoute` for a URL of another origin than the collection's, `invalidRequest` for
  ///   a query that names a field of the URL once more.
  func own<E: RemoteEntity>(
    _ type: E.Type, _ template: URLTemplate, _ uid: UIDPath, _ segments: [String], _ query: QueryParameters
  ) throws -> RequestURL {
    let values = Dictionary(uid.parts.map { ($0.name, $0.text) }) { $1 }
    let url = try self.url(
      type, template, PathParameters(values), segments, title: "The object path of '\(E.entityName)'")
    if let name = query.pairs.first(where: { template.telling.contains($0.name) })?.name {
      throw RequestError(
        .invalidRequest,
        "The query names '\(name.escaped)' once more, which tells the objects of '\(E.entityName)' apart.")
    }
    return url
  }

  /// The URL that a template of an entity makes of values.
  ///
  /// - Parameter title: The name of the template in errors.
  /// - Throws: ``RequestError``: `invalidRoute` for a URL of another origin than the collection's, `invalidRequest` for
  ///   values that no URL can hold.
  func url<E: RemoteEntity>(
    _ type: E.Type, _ template: URLTemplate, _ values: PathParameters, _ segments: [String] = [],
    title: @autoclosure () -> String
  ) throws -> RequestURL {
    let reference = try template.reference(values, segments: segments)
    let url = template.server == nil ? try relative(reference, type) : try RequestURL(absolute: reference)
    guard try url.url().hasSameOrigin(as: collection(type).url()) else {
      throw RequestError(.invalidRoute, "\(title()) leads to another origin than its base path.")
    }
    return url
  }

  /// The URL that resources of an entity are relative to: the collection, or the folder beside it where the objects are,
  /// as `issues` is beside `issues.json`.
  func folder<E: RemoteEntity>(_ type: E.Type) throws -> RequestURL {
    let home = try collection(type)
    guard let template = try type.ownTemplate else { return home }
    let folder = template.path.folder.joined(separator: "/")
    guard !folder.isEmpty else { return home }
    let beside =
      try template.server == nil
      ? relative((template.path.beginsWithSlash ? "/" : "") + folder, type)
      : RequestURL(absolute: "\(template.server ?? "")/\(folder)")
    return home.withoutExtension(isPathOf: beside) ? home.withPath(of: beside) : home
  }

  /// Whether a URL is that of one object, by its text.
  private func isOwn<E: RemoteEntity>(_ type: E.Type, _ url: URL) -> Bool {
    guard let template = try? type.ownTemplate, let values = template.values(in: url),
      !values.values.contains(""), let own = try? ownURL(type, template, values)
    else { return false }
    return template.isSame(url, own)
  }

  /// Whether the query of a URL names one object.
  func isOwnByQuery<E: RemoteEntity>(_ type: E.Type, _ url: URL?) -> Bool {
    guard type.objectPath != nil, let url, (try? type.ownTemplate)?.telling.isEmpty == false else { return false }
    return isOwn(type, url)
  }

  private func ownURL<E: RemoteEntity>(_ type: E.Type, _ template: URLTemplate, _ values: [String: String]) throws
    -> URL
  {
    try own(type, template, UIDPath(parts: values.map { ($0.key, $0.value) }), [], [:]).url()
  }

  /// Whether a URL of a request is another URL of the same entity, whatever else the query has.
  func isSame<E: RemoteEntity>(_ type: E.Type, _ url: URL, as other: URL) -> Bool {
    guard let template = try? type.ownTemplate else { return url.isSamePlace(as: other) }
    return template.isSame(url, other)
  }
}

extension URLTemplate {
  /// True when both URLs have the same place, and the same values in the fields of the query that tell objects apart.
  func isSame(_ url: URL, _ other: URL) -> Bool {
    url.isSamePlace(as: other) && telling.allSatisfy { url.queryValues($0) == other.queryValues($0) }
  }
}

extension PathPattern {
  /// The components before the first parameter, as they stand in a URL.
  fileprivate var folder: [String] {
    let literals = components.map { if case .literal(_, let encoded) = $0 { encoded } else { nil as String? } }
    return literals.prefix { $0 != nil }.compactMap(\.self)
  }
}
