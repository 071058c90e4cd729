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
/// An entity whose objects stand by themselves in responses needs a uid, which identifies them. A GET of an entity
/// without a uid fails, because each response would make its objects anew.
public protocol RemoteEntity: ManagedEntity {
  /// The path of the entity's collection: absolute, or relative to the client's base URL. It is sent as it is written:
  /// many servers know only one of `users` and `users/`, so write it as the API's documentation does.
  static var basePath: String { get }

  /// The path of one object, where it is not the base path and the uid: absolute, or relative to the client's base URL,
  /// as ``basePath`` is; `nil` by default.
  ///
  /// ```swift
  /// static var objectPath: String? { "issues/{uid}.json" }        // Redmine, Shopify, Rails; the base path is issues.json
  /// static var objectPath: String? { "Users({uid})" }             // OData; "Users('{uid}')" for a key that is a text
  /// static var objectPath: String? { "users?id=eq.{uid}" }        // PostgREST
  /// static var objectPath: String? { "repos/ada/engine/issues/{number}" }      // GitHub: an attribute
  /// static var objectPath: String? { "Orders(OrderID={order},Line={line})" }   // the parts of a composite uid
  /// ```
  ///
  /// `{uid}` stands for the uid, a part of a composite uid for itself, and any other name for an attribute. Each value
  /// is percent-encoded: no character of it has a meaning in the URL. Between single quotes, each quote in it is doubled.
  /// All verbs of objects and by uid use the path, and a `DELETE` and a `Location` are read by it.
  ///
  /// - A resource is relative to the base path. Where the base path has an extension, and the objects are in a folder of
  ///   that name, it is relative to the folder: `Issue.get("7.json")` asks for `issues/7.json`. A relationship stands
  ///   before the extension: `issues/7/relations.json`.
  /// - Where the query names the object, an empty list says that there is none. It is read as status 404. Nothing stands
  ///   below such an object, so its relationships need routes.
  /// - With an attribute in place of the uid, a uid alone makes no URL: `get(uid:)` throws, and ``resource(of:_:)`` makes
  ///   the URL of an attribute's value. An object without the value throws `missingUID`. After an edit of the attribute,
  ///   the URL has the server's last value. A DELETE by such a URL deletes the row whose attributes have the values on the
  ///   server, unless several rows have them. The attribute is an integer, a UUID or a text, without a transformer. The
  ///   URL of an object that is deleted here is kept from the time on at which a client has the store: make the client
  ///   before objects are deleted.
  ///
  /// A client with a store refuses a path that names no object, and one with another kind of attribute, with
  /// ``RequestError/Kind/invalidRoute``.
  static var objectPath: String? { get }

  /// Whether the URLs of objects end with a slash; `nil`, the default, leaves it to the client.
  static var trailingSlash: TrailingSlash? { get }

  /// The key path of the identifier in a response. With `nil`, the default, it is the key of the uid's property: its
  /// declared key, else `id` for a property that is called `uid` or `id`, else its name in the store's key style.
  static var responseUIDKey: String? { get }

  /// Further key paths of the identifier, for objects that lack ``responseUIDKey``: some services answer a POST with other
  /// keys than their lists have. None by default. The first one that an object has counts.
  ///
  /// ```swift
  /// // Salesforce: {"Id": "001…", "Name": "…"} in lists, and {"id": "001…", "success": true} after a POST.
  /// @UID @Key("Id") var uid: String
  /// static var otherUIDKeys: [String] { ["id"] }
  /// ```
  static var otherUIDKeys: [String] { get }

  /// The attribute by which other objects name objects of this entity, where they have a text in place of an object or an
  /// id; `nil`, the default, when they have uids alone.
  ///
  /// ```swift
  /// // An issue: {"id": 7, "labels": ["bug", "new"]}
  /// extension Label: RemoteEntity {
  ///   static var nameAttribute: PartialKeyPath<Label>? { \.name }      // @Unique var name: String
  /// }
  /// ```
  ///
  /// The text finds the one object that has it, and makes none. If there is no such object, or there are several,
  /// ``EntityResponse/unrecognized`` lists the name: a to-one relationship then stays as it is, and a list loses no member.
  /// An object that was renamed here, saved or not, has the server's name: the name here may be that of another object there. An object
  /// in a later part of the same response is not there yet.
  /// A text is always a name then, also for an entity whose uid is a text; a number is a uid.
  static var nameAttribute: PartialKeyPath<Self>? { get }

  /// Where responses hold this entity's objects; `nil` leaves it to the client. A request can name another envelope.
  static var envelope: Envelope? { get }

  /// The key under which the verbs with properties send an object, as in Rails' `{"user": {"email": "…"}}`. With `nil`,
  /// the default, they send the object by itself. Dots nest.
  static var requestRootKey: String? { get }

  /// The keys of properties in requests, where these differ from the keys in responses; none by default. Dots nest.
  ///
  /// ```swift
  /// // Reads {"title": "…", "author": {"id": 3, "name": "Ada"}}, and sends {"title": "…", "author_id": 3}.
  /// static var requestKeys: [PartialKeyPath<Article>: String] { [\.author: "author_id"] }
  /// ```
  ///
  /// The verbs with properties and `jsonObject(for:)` send these keys. When a closure makes the body, the library finds
  /// the edits in the body by these keys. An export of the whole object has the keys of responses.
  static var requestKeys: [PartialKeyPath<Self>: String] { get }

  /// The relationships whose objects requests name by their ``nameAttribute``, in place of their uids; none by default.
  ///
  /// ```swift
  /// // Reads {"labels": [{"id": 1, "name": "bug"}]}, and sends {"labels": ["bug"]}.
  /// static var namedInRequests: Set<PartialKeyPath<Issue>> { [\.labels] }
  /// ```
  ///
  /// The name is the server's, also of an object that was renamed here. An object without a name is an error of kind
  /// `invalidRequest` when the request is made, and nothing is sent.
  static var namedInRequests: Set<PartialKeyPath<Self>> { get }

  /// The URLs of relationships, and URLs with names; none by default. See ``EntityRoute``.
  static var routes: [EntityRoute<Self>] { get }

  /// The adapter for this entity's requests; `nil`, the default, leaves it to the client.
  static var adapter: (any RequestAdapter)? { get }

  /// Sent with each request of this entity to the origin of its collection (RFC 6454 §5) and to no other origin,
  /// because headers may hold credentials. RFC 9110 §5 says which characters they may have. They replace the client's
  /// headers of the same names, and the headers of a request replace both.
  static var headers: HTTPHeaders { get }

  /// The key path by which a response says that an object was deleted, as in `{"id": 7, "deleted": true}` or
  /// `{"id": 7, "deleted_at": "2026-05-01"}`; `nil`, the default, when the service has no such key.
  ///
  /// Such an object, wherever in a response it stands, deletes its row, edited or not, as the relationships' rules say.
  /// An object that the store does not have stays unknown. The answer to a request on an object need not name the
  /// object: `{"deleted": true}` is enough. Absent, null, false and 0 mean no deletion, also as texts. So do "no" and
  /// an empty string, array or object.
  ///
  /// The row is deleted once the whole response was read. If another object then requires the row, or a delete rule
  /// keeps it, it stays as it is and counts as ``EntityCounts/denied``. A list of changes since a time does not mention
  /// the object again. To delete such rows all the same, declare `onDelete: .cascade` on the inverse.
  static var deletionKey: String? { get }

  /// Finds the elements of a list of changes that name a deleted object in another form than ``deletionKey`` reads: by its
  /// URL, or beside the object; `nil`, the default, for none. See ``DeletedElements``.
  static var deletedElements: DeletedElements? { get }

  /// The objects that stay when a response lacks them; `nil`, the default, for none.
  ///
  /// ```swift
  /// static func staysWhenMissing(_ row: QueryRow<User>) -> EntityPredicate? { row.isPinned == true }
  /// ```
  ///
  /// ``EntityResponse/skipped`` lists these objects with the reason `kept`. A response that says that such an object is
  /// deleted still deletes it, and so does a delete rule.
  ///
  /// - Parameter row: The columns of the entity, as in `User.where { … }`.
  static func staysWhenMissing(_ row: QueryRow<Self>) -> EntityPredicate?

  /// The properties that are filled from the context of an object, and not from its keys: from its place, its parent
  /// object or the response. None by default; see ``ValueOrigin``.
  static var origins: [ValueOrigin<Self>] { get }

  /// The key and the values by which an object says that it belongs to this entity, for lists of several entities;
  /// `nil`, the default, when each object of a list does.
  static var discriminator: Discriminator? { get }

  /// The attribute that says how new an object is: a number or a date that grows with each change on the server. `nil`,
  /// the default, when there is no such attribute.
  ///
  /// ```swift
  /// static var versionAttribute: PartialKeyPath<User>? { \.updatedAt }
  /// ```
  ///
  /// An object with an older version than its row changes neither the row nor its lists, and does not delete the row.
  /// ``EntityResponse/skipped`` lists it with the reason `olderVersion`. Objects that are nested in it are compared by
  /// their own versions. An object with the same version, or with none, is taken as without this declaration: a
  /// response with a part of the properties may follow one with others. A placeholder is always filled. If the
  /// attribute was edited here, the server's value before the edit counts; the answer to a request that sent it is
  /// taken.
  static var versionAttribute: PartialKeyPath<Self>? { get }

  /// The properties that an absent key clears, for a server that leaves out empty values; by default an absent key says
  /// nothing.
  ///
  /// ```swift
  /// // Redmine has no "assigned_to" for an issue that nobody works on.
  /// static var absentKeys: AbsentKeys<Issue> { .clear(\.assignedTo, \.dueDate) }
  /// ```
  ///
  /// The rule is for the objects of a response and of its parts. It is not for objects that are nested in others, which
  /// are often incomplete, and not for an object that has no key but its uid. Local edits stay, and so do values of
  /// newer answers. A hand-written `update(with:)` reads an absent key of such a property as null, with `assign` and
  /// `assignDeclared(from:)`.
  static var absentKeys: AbsentKeys<Self> { get }

  /// Tells refusals from successes, for a service that answers a refusal with a status of success; `nil`, the default,
  /// leaves it to the client. A request can name another verdict.
  static var verdict: ResponseVerdict? { get }

  /// The values by which responses say "nothing" in this entity's properties; `nil`, the default, leaves them to the
  /// client. See ``NothingValues``.
  static var nothing: NothingValues? { get }

  /// The same for some properties, in place of ``nothing``; none by default.
  static var nothingByProperty: [PartialKeyPath<Self>: NothingValues] { get }

  /// How the server gives several objects by their ids in one request; `nil`, the default, when it does not. The entity
  /// has a uid of one property.
  ///
  /// ```swift
  /// static var fetchesByID: FetchesByID? { .query("ids", limit: 100) }     // users?ids=1,2,3
  /// ```
  /// `load(_:)` and `fillPlaceholders(limit:in:)` then ask for several objects at once.
  static var fetchesByID: FetchesByID? { get }

  /// The result of ``update(with:)``: `Void` for a function that is written by hand, ``DeclaredMapping`` for the
  /// default. The compiler infers the type, and the library tells the two apart by it.
  associatedtype UpdateResult = DeclaredMapping

  /// Takes the values of a response. Without it the declared properties are mapped by their keys.
  ///
  /// The function runs on every path: lists, nested objects, placeholders, the answer to a POST. It is called in a
  /// background context, on the writer's executor, or in the context of `EntityContext.upsert(_:from:uid:)`. It may run
  /// twice for one object: when the store refuses an object of a list, the list is taken in again, one object after the
  /// other.
  @discardableResult
  func update(with response: ResponseObject) throws -> UpdateResult
}

/// Says that an entity leaves its mapping to the declared properties.
public struct DeclaredMapping: Sendable {
  init() {}
}

extension RemoteEntity {
  public static var objectPath: String? { nil }
  public static var trailingSlash: TrailingSlash? { nil }
  public static var responseUIDKey: String? { nil }
  public static var otherUIDKeys: [String] { [] }
  public static var nameAttribute: PartialKeyPath<Self>? { nil }
  public static var envelope: Envelope? { nil }
  public static var requestRootKey: String? { nil }
  public static var requestKeys: [PartialKeyPath<Self>: String] { [:] }
  public static var namedInRequests: Set<PartialKeyPath<Self>> { [] }
  public static var routes: [EntityRoute<Self>] { [] }
  public static var adapter: (any RequestAdapter)? { nil }
  public static var headers: HTTPHeaders { [:] }
  public static var deletionKey: String? { nil }
  public static var deletedElements: DeletedElements? { nil }
  public static func staysWhenMissing(_ row: QueryRow<Self>) -> EntityPredicate? { nil }
  public static var discriminator: Discriminator? { nil }
  public static var versionAttribute: PartialKeyPath<Self>? { nil }
  public static var origins: [ValueOrigin<Self>] { [] }
  public static var fetchesByID: FetchesByID? { nil }
  public static var absentKeys: AbsentKeys<Self> { .sayNothing }

  public static var verdict: ResponseVerdict? { nil }
  public static var nothing: NothingValues? { nil }
  public static var nothingByProperty: [PartialKeyPath<Self>: NothingValues] { [:] }

  /// Whether ``update(with:)`` is written by hand.
  static var updatesByHand: Bool { UpdateResult.self != DeclaredMapping.self }
}
