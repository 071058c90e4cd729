public import EntityStore

/// An entity that a REST API serves: where it is found there, and how responses become its properties.
///
/// ```swift
/// extension User: RemoteEntity {
///   static var basePath: String { "users" }
/// }
/// let users = try await User.get(query: ["page": 1]).objects
/// ```
///
/// An entity whose objects stand by themselves in responses needs a uid, which identifies them: a GET of an entity
/// without one fails, for each response would make them anew.
public protocol RemoteEntity: ManagedEntity {
  /// The path of the entity's collection: absolute, or relative to the client's base URL. It is sent as it is written:
  /// many servers know only one of `users` and `users/`, so write it as the API's documentation does.
  static var basePath: String { get }

  /// Whether the URLs of objects end with a slash; `nil`, the default, leaves it to the client.
  static var trailingSlash: TrailingSlash? { get }

  /// The key path of the identifier in a response; `nil`, the default, for the key of the uid's property: the one
  /// declared for it, else `id` for a property that is called `uid` or `id`, else its name in the store's key style.
  static var responseUIDKey: String? { get }

  /// Where responses hold this entity's objects; `nil` leaves it to the client. A request can name another envelope.
  static var envelope: Envelope? { get }

  /// The key under which the verbs with properties send an object, as Rails' `{"user": {"email": "…"}}` has it; `nil`, the
  /// default, sends the object by itself. Dots nest.
  static var requestRootKey: String? { get }

  /// The keys under which requests have properties, where responses have them under others; none by default. Dots nest.
  ///
  /// ```swift
  /// // Reads {"title": "…", "author": {"id": 3, "name": "Ada"}}, and sends {"title": "…", "author_id": 3}.
  /// static var requestKeys: [PartialKeyPath<Article>: String] { [\.author: "author_id"] }
  /// ```
  ///
  /// The verbs with properties and `jsonObject(for:)` send these keys, and a body that a closure makes is read with them for
  /// the edits that it carries. An export of the whole object has the keys of responses.
  static var requestKeys: [PartialKeyPath<Self>: String] { get }

  /// The URLs of relationships, and URLs with names; none by default. See ``EntityRoute``.
  static var routes: [EntityRoute<Self>] { get }

  /// The adapter for this entity's requests; `nil`, the default, leaves it to the client.
  static var adapter: (any RequestAdapter)? { get }

  /// Sent with each request of this entity to the origin of its collection (RFC 6454 §5), and to no other: they may
  /// hold credentials. RFC 9110 §5 says which characters they may have. They come before the client's of the same name,
  /// and a request's own before them.
  static var headers: HTTPHeaders { get }

  /// The key path by which a response tells that an object was deleted, as in `{"id": 7, "deleted": true}` or
  /// `{"id": 7, "deleted_at": "2026-05-01"}`; `nil`, the default, where it tells it otherwise.
  ///
  /// Such an object, wherever in a response it stands, deletes its row, edited or not, as the relationships' rules say;
  /// one that is not here stays unknown. The answer to a request on an object need not name it: `{"deleted": true}`
  /// will do. Absent, null, false and 0 are no deletion, as texts either, and so are "no" and an empty string, array or
  /// object.
  ///
  /// The row goes once all of the response was read. One that another object requires then, or a delete rule keeps,
  /// stays as it is and counts as ``EntityCounts/denied``. A list of changes since a time doesn't say it again: for
  /// rows that are to go all the same, declare `onDelete: .cascade` on the inverse.
  static var deletionKey: String? { get }

  /// The objects that no response deletes because it lacks them; `nil`, the default, for none.
  ///
  /// ```swift
  /// static func staysWhenMissing(_ row: QueryRow<User>) -> EntityPredicate? { row.isPinned == true }
  /// ```
  ///
  /// ``EntityResponse/skipped`` tells of them with the reason `kept`. A response that says that such an object is deleted, and
  /// a delete rule, delete it all the same.
  ///
  /// - Parameter row: The columns of the entity, as in `User.where { … }`.
  static func staysWhenMissing(_ row: QueryRow<Self>) -> EntityPredicate?

  /// The properties that are filled from the context of an object, and not from its keys: its place, the object that it
  /// is nested in, the response. None by default; see ``ValueOrigin``.
  static var origins: [ValueOrigin<Self>] { get }

  /// The type by which an object says that it is one of this entity, for lists of several entities; `nil`, the default,
  /// where each object of a list is one.
  static var discriminator: Discriminator? { get }

  /// The attribute that says how new an object is: a number or a date that grows with each change on the server. `nil`, the
  /// default, where nothing says it.
  ///
  /// ```swift
  /// static var versionAttribute: PartialKeyPath<User>? { \.updatedAt }
  /// ```
  ///
  /// An object with an older version than its row changes neither the row nor its lists, and does not delete it:
  /// ``EntityResponse/skipped`` tells it with the reason `olderVersion`. Objects that are nested in it are taken for what they
  /// say themselves. An object with the same version, or with none, is taken as without this declaration: a response
  /// with a part of the properties may follow one with others. A placeholder is always filled. Where the attribute
  /// was edited here, the server's value before the edit counts; the answer to a request that sent it is taken.
  static var versionAttribute: PartialKeyPath<Self>? { get }

  /// The properties that an object clears by not having their keys, for a server that leaves out what is empty; by default an
  /// absent key says nothing.
  ///
  /// ```swift
  /// // Redmine has no "assigned_to" for an issue that nobody works on.
  /// static var absentKeys: AbsentKeys<Issue> { .clear(\.assignedTo, \.dueDate) }
  /// ```
  ///
  /// It holds for the objects of a response and of its parts. Objects that are nested in others are often cut short: theirs say
  /// nothing, and neither does an object that has no key but its uid. Local edits stay, and so do values of newer answers.
  /// An `update(with:)` of its own reads an absent key of such a property as null, with `assign` and `assignDeclared(from:)`.
  static var absentKeys: AbsentKeys<Self> { get }

  /// The result of ``update(with:)``: nothing where it is written by hand, ``DeclaredMapping`` where it is not. The
  /// compiler infers it, and that is how the two are told apart.
  associatedtype UpdateResult = DeclaredMapping

  /// Takes the values of a response. Without it the declared properties are mapped by their keys.
  ///
  /// It runs on every path: lists, nested objects, placeholders, the answer to a POST. It is called in a background
  /// context, on the writer's executor, or in the context of `EntityContext.upsert(_:from:uid:)`. It may run twice for one object: a list
  /// in which the store refuses an object is taken in anew, one object after the other.
  @discardableResult
  func update(with response: ResponseObject) throws -> UpdateResult
}

/// Says that an entity leaves its mapping to the declared properties.
public struct DeclaredMapping: Sendable {
  init() {}
}

extension RemoteEntity {
  public static var trailingSlash: TrailingSlash? { nil }
  public static var responseUIDKey: String? { nil }
  public static var envelope: Envelope? { nil }
  public static var requestRootKey: String? { nil }
  public static var requestKeys: [PartialKeyPath<Self>: String] { [:] }
  public static var routes: [EntityRoute<Self>] { [] }
  public static var adapter: (any RequestAdapter)? { nil }
  public static var headers: HTTPHeaders { [:] }
  public static var deletionKey: String? { nil }
  public static func staysWhenMissing(_ row: QueryRow<Self>) -> EntityPredicate? { nil }
  public static var discriminator: Discriminator? { nil }
  public static var versionAttribute: PartialKeyPath<Self>? { nil }
  public static var origins: [ValueOrigin<Self>] { [] }
  public static var absentKeys: AbsentKeys<Self> { .sayNothing }

  /// Whether ``update(with:)`` is written by hand.
  static var updatesByHand: Bool { UpdateResult.self != DeclaredMapping.self }
}
