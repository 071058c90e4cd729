import EntityJSON
public import EntityStore

/// A part of a response that holds objects of an entity, beside those that the request is about: a side-loaded list.
///
/// ```swift
/// // {"users": [{"id": 1, "posts": [7]}], "posts": [{"id": 7, "author": 1}]}
/// let response = try await User.get(options: [.envelope("users"), .parts([.list(Post.self, at: "posts")])])
/// response.ids                     // the users
/// response.ids(of: Post.self)      // the posts
/// ```
///
/// Key paths are those of the whole body, also where there is an envelope; an empty one is the whole body. All parts are one transaction with the
/// response's own objects, and follow their rules: keys that are present, local edits, answers that are older. Objects
/// may refer to each other by id in any order; an object that another one requires may come with any part. A response
/// without objects of its own is one of ``EntityDocument``.
public struct ResponsePart: Sendable {
  enum Form: Sendable { case list, object }

  enum Entities: Sendable {
    case one(any ManagedEntity.Type)
    /// By the value of a key of each object.
    case typed(by: String, [String: any ManagedEntity.Type])
    /// By their discriminators.
    case discriminated([any RemoteEntity.Type])

    /// Whether objects of several entities stand in one list.
    var areSeveral: Bool { if case .one = self { false } else { true } }
  }

  let keyPath: String
  let form: Form
  let entities: Entities
  let isRequired: Bool
  /// The scope in which objects that the response lacks are deleted; `nil` where they are kept.
  let missing: (any MissingScope)?

  /// An array of objects of one entity.
  ///
  /// - Parameters:
  ///   - type: The entity.
  ///   - keyPath: Where the array stands in the whole body.
  ///   - isRequired: Whether a response without it is an error; otherwise an absent list, or null, says nothing.
  ///   - missing: The treatment of objects that the whole response lacks: by default they stay. A list that is absent
  ///     deletes nothing.
  public static func list<E: ManagedEntity>(
    _ type: E.Type, at keyPath: String, isRequired: Bool = false, missing: MissingObjects<E> = .keep
  ) -> ResponsePart {
    ResponsePart(
      keyPath: keyPath, form: .list, entities: .one(type), isRequired: isRequired, missing: missing.scope)
  }

  /// An array of objects of several entities, each of which names its entity under one of its keys.
  ///
  /// ```swift
  /// // {"data": […], "included": [{"type": "people", "id": "9", …}, {"type": "comments", "id": "5", …}]}
  /// .list(typedBy: "type", ["people": Person.self, "comments": Comment.self], at: "included")
  /// ```
  ///
  /// Objects of other types are passed over, and their types told by ``EntityResponse/unrecognized``.
  public static func list(
    typedBy key: String, _ types: [String: any ManagedEntity.Type], at keyPath: String, isRequired: Bool = false
  ) -> ResponsePart {
    ResponsePart(
      keyPath: keyPath, form: .list, entities: .typed(by: key, types), isRequired: isRequired, missing: nil)
  }

  /// An array of objects of several entities, each of which says by its entity's ``RemoteEntity/discriminator`` which one it is.
  ///
  /// ```swift
  /// // GET feed, answered by [{"type": "image", "id": 1, …}, {"type": "video", "id": 1, …}]
  /// let feed = try await EntityDocument.get("feed", options: .parts([.list(of: [Image.self, Video.self], at: "")]))
  /// feed.items          // the ids of both in the order of the list
  /// ```
  ///
  /// Objects of other types are passed over, and their types told by ``EntityResponse/unrecognized``.
  ///
  /// - Parameters:
  ///   - types: The entities; each has a discriminator.
  ///   - keyPath: Where the array stands in the whole body; empty where it is the whole body.
  ///   - isRequired: Whether a response without it is an error; otherwise an absent list, or null, says nothing.
  public static func list(
    of types: [any RemoteEntity.Type], at keyPath: String, isRequired: Bool = false
  ) -> ResponsePart {
    ResponsePart(
      keyPath: keyPath, form: .list, entities: .discriminated(types), isRequired: isRequired, missing: nil)
  }

  /// One object.
  ///
  /// - Parameters:
  ///   - type: The entity.
  ///   - keyPath: Where the object stands in the whole body.
  ///   - isRequired: Whether a response without it is an error; otherwise an absent object, or null, says nothing.
  public static func object<E: ManagedEntity>(
    _ type: E.Type, at keyPath: String, isRequired: Bool = false
  ) -> ResponsePart {
    ResponsePart(keyPath: keyPath, form: .object, entities: .one(type), isRequired: isRequired, missing: nil)
  }

  /// The value of the part in a body; the whole body for an empty key path, `nil` for a part that is absent.
  func value(in body: JSONValue) -> JSONValue? {
    if keyPath.isEmpty { return body }
    return form == .list ? body.value(forList: keyPath) : body[keyPath]
  }

  /// For the places of its objects in errors; `nil` where they stand at the top of the body.
  var place: String? { keyPath.isEmpty ? nil : keyPath }

  /// The entities that it may have objects of.
  var types: [any ManagedEntity.Type] {
    switch entities {
    case .one(let type): [type]
    case .typed(_, let types): Array(types.values)
    case .discriminated(let types): types
    }
  }

  /// The part of a body; `nil` for one that is absent, or null.
  ///
  /// - Throws: ``RequestError`` of kind `envelope` for one that is required and absent, or of another kind than declared.
  func open(_ body: JSONValue, _ response: HTTPResponse?) throws -> JSONValue? {
    let name = keyPath.prefix(200).escaped
    guard var value = value(in: body), !value.isNull else {
      guard isRequired else { return nil }
      throw RequestError(.envelope, "The body has nothing under '\(name)', which is required.", response: response)
    }
    if form == .list, let list = value.list { value = list.value }
    guard value.kind == (form == .list ? .array : .object) else {
      throw RequestError(
        .envelope,
        "\(keyPath.isEmpty ? "As the body" : "Under '\(name)'") \(form == .list ? "an array" : "an object") was expected, and there is \(value.kindName).",
        response: response)
    }
    return value
  }
}

/// A part of a response as it came.
package struct OpenPart: Sendable {
  let part: ResponsePart
  /// `nil` for one that the response lacks.
  let value: JSONValue?
}
