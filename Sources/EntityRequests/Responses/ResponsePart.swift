import EntityJSON
public import EntityStore

/// A part of a response with objects of an entity, beside the objects that the request is about: a side-loaded list.
///
/// ```swift
/// // {"users": [{"id": 1, "posts": [7]}], "posts": [{"id": 7, "author": 1}]}
/// let response = try await User.get(options: [.envelope("users"), .parts([.list(Post.self, at: "posts")])])
/// response.ids                     // the users
/// response.ids(of: Post.self)      // the posts
/// ```
///
/// A key path begins at the whole body, also when there is an envelope; an empty key path is the whole body. It can lead
/// through arrays and maps, as that of an ``Envelope``: `entry[].resource`, `users{}`. All parts
/// are taken in with the response's own objects in one transaction, and follow the same rules: for keys that are
/// present, for local edits, for older answers. Objects may refer to each other by id in any order; an object that
/// another one requires may come with any part. For a response without objects of its own, use ``EntityDocument``.
public struct ResponsePart: Sendable {
  enum Form: Sendable {
    case list, object
    /// A list of ids, or of objects with their uid, of which the server says that they are deleted.
    case deletions
  }

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
  /// The scope in which objects that the response lacks are deleted; `nil` when they are kept.
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
  /// Objects of other types are passed over, and ``EntityResponse/unrecognized`` lists their types.
  public static func list(
    typedBy key: String, _ types: [String: any ManagedEntity.Type], at keyPath: String, isRequired: Bool = false
  ) -> ResponsePart {
    ResponsePart(
      keyPath: keyPath, form: .list, entities: .typed(by: key, types), isRequired: isRequired, missing: nil)
  }

  /// An array of objects of several entities. Each entity's ``RemoteEntity/discriminator`` says which objects belong to
  /// it.
  ///
  /// ```swift
  /// // GET feed, answered by [{"type": "image", "id": 1, …}, {"type": "video", "id": 1, …}]
  /// let feed = try await EntityDocument.get("feed", options: .parts([.list(of: [Image.self, Video.self], at: "")]))
  /// feed.items          // the ids of both in the order of the list
  /// ```
  ///
  /// Objects of other types are passed over, and ``EntityResponse/unrecognized`` lists their types.
  ///
  /// - Parameters:
  ///   - types: The entities; each has a discriminator.
  ///   - keyPath: Where the array stands in the whole body; empty when the array is the whole body.
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

  /// The objects that the server has deleted: an array of their ids, or of objects with their uid.
  ///
  /// ```swift
  /// // {"changed": [{"id": 7, …}], "deleted": [5, 6]}
  /// try await Post.get(query: ["since": token], options: [.envelope("changed"), .deleted(at: "deleted")])
  /// ```
  ///
  /// The rows are deleted as those of objects that say it by ``RemoteEntity/deletionKey``, after all other objects of the
  /// response were taken in. Unsent work stays, and so does what a newer response has; ``EntityResponse/skipped`` tells. An
  /// object that the store does not have stays unknown.
  ///
  /// - Parameters:
  ///   - type: The entity.
  ///   - keyPath: Where the array stands in the whole body.
  ///   - isRequired: Whether a response without it is an error; otherwise an absent list, or null, says nothing.
  public static func deleted<E: ManagedEntity>(
    _ type: E.Type, at keyPath: String, isRequired: Bool = false
  ) -> ResponsePart {
    ResponsePart(keyPath: keyPath, form: .deletions, entities: .one(type), isRequired: isRequired, missing: nil)
  }

  /// The value of the part in a body: the whole body for an empty key path, `nil` when the part is absent.
  ///
  /// - Parameter uidKey: Finds the key by which the objects of an entity have their uid.
  func value(
    in body: JSONValue, uidKey: ((any ManagedEntity.Type) -> String)? = nil
  ) -> JSONValue? {
    if keyPath.isEmpty { return body }
    return form == .object ? body[keyPath] : body.value(forList: keyPath, uidKey: types.first.flatMap { uidKey?($0) })
  }

  /// The place of the part's objects in errors; `nil` when they stand at the top of the body.
  var place: String? { keyPath.isEmpty ? nil : keyPath }

  /// The entities of the objects that the part may have.
  var types: [any ManagedEntity.Type] {
    switch entities {
    case .one(let type): [type]
    case .typed(_, let types): Array(types.values)
    case .discriminated(let types): types
    }
  }

  /// The value of the part in a body; `nil` when the part is absent, or null.
  ///
  /// - Throws: ``RequestError`` of kind `envelope` when the part is required and absent, or of another kind than
  ///   declared.
  func open(
    _ body: JSONValue, _ response: HTTPResponse?, uidKey: ((any ManagedEntity.Type) -> String)? = nil
  ) throws -> JSONValue? {
    let name = keyPath.prefix(200).escaped
    let found = value(in: body, uidKey: uidKey)
    if let fault = found?.fault {
      throw RequestError(.envelope, "Under '\(name)', at '\(fault.keyPath)', \(fault.reason).", response: response)
    }
    guard var value = found, !value.isNull else {
      guard isRequired else { return nil }
      throw RequestError(.envelope, "The body has nothing under '\(name)', which is required.", response: response)
    }
    if form != .object, let list = value.list { value = list.value }
    guard value.kind == (form == .object ? .object : .array) else {
      throw RequestError(
        .envelope,
        "\(keyPath.isEmpty ? "As the body" : "Under '\(name)'") \(form == .object ? "an object" : "an array") was expected, and there is \(value.kindName).",
        response: response)
    }
    return value
  }
}

/// A part of a response as it came.
package struct OpenPart: Sendable {
  let part: ResponsePart
  /// `nil` when the response lacks the part.
  let value: JSONValue?
}
