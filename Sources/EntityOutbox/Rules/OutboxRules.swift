public import EntityRequests
public import EntityStore
public import HTTPFoundation

/// How the outbox sends the changes of an entity's objects. Rules are a list; of two rules of a kind, the later one counts.
///
/// ```swift
/// extension Order: OutboxEntity {
///   static var outbox: OutboxRules<Order> {
///     [
///       .updating(.put, carrying: .all),
///       .idempotencyKey(),
///       .lookingUp(by: \.number),
///       .request(to: .create) { order, change in
///         var request = try Order.request(.post, "import")
///         try request.setJSON(order.jsonObject(for: \.number, \.note))
///         return request
///       },
///     ]
///   }
/// }
/// ```
public struct OutboxRules<Entity: OutboxEntity>: Sendable, ExpressibleByArrayLiteral {
  private let change: @Sendable (inout OutboxSettings<Entity>) -> Void

  private init(_ change: @escaping @Sendable (inout OutboxSettings<Entity>) -> Void) { self.change = change }

  static func changing(_ change: @escaping @Sendable (inout OutboxSettings<Entity>) -> Void) -> Self { Self(change) }

  /// Rules in their order.
  ///
  /// - Parameter elements: The rules. The later one of a kind counts.
  public init(arrayLiteral elements: Self...) {
    self.init { settings in for element in elements { element.change(&settings) } }
  }

  /// The settings that the rules make.
  var settings: OutboxSettings<Entity> {
    var settings = OutboxSettings<Entity>()
    change(&settings)
    return settings
  }

  /// POST creates an object at the collection, PATCH updates it at its URL, DELETE deletes it there. Each carries the
  /// edited properties.
  public static var rest: Self { Self { _ in } }

  /// The method of creates.
  ///
  /// - Parameters:
  ///   - method: POST goes to the collection. PUT goes to the object's own URL, with a uid that was made here, and may be
  ///     sent twice.
  ///   - carrying: The properties of the body.
  public static func creating(_ method: HTTPMethod, carrying: OutboxCarrying = .edited) -> Self {
    Self { $0.creating = (method, carrying) }
  }

  /// The method of updates.
  ///
  /// - Parameters:
  ///   - method: The method, at the object's own URL. A PUT replaces the object, so that its body mostly carries `.all`.
  ///   - carrying: The properties of the body.
  public static func updating(_ method: HTTPMethod, carrying: OutboxCarrying = .edited) -> Self {
    Self { $0.updating = (method, carrying) }
  }

  /// Creates and commands have a random key, by which the server knows a request that it has had before. A request whose
  /// answer was lost is sent again, byte for byte and with its key.
  ///
  /// - Parameter header: The name of the header (draft-ietf-httpapi-idempotency-key-header).
  public static func idempotencyKey(header: String = "Idempotency-Key") -> Self { Self { $0.keyHeader = header } }

  /// After a lost answer to a create, asks the collection for the object that has the value of a property:
  /// `GET orders?number=A-17`. One match is the object; without a match it is sent again. The value is the one that was
  /// sent, whatever edits followed.
  ///
  /// - Parameters:
  ///   - property: A property whose value no two objects share.
  ///   - parameter: The name in the query; by default the key of the property.
  public static func lookingUp<Value>(by property: KeyPath<Entity, Value>, as parameter: String? = nil) -> Self {
    lookingUp(property, .parameter(parameter))
  }

  /// As ``lookingUp(by:as:)``, for a server whose filters have another form than `name=value`.
  ///
  /// ```swift
  /// .lookingUp(by: \.number, at: "orders?number=eq.{number}")                  // PostgREST
  /// .lookingUp(by: \.number, at: "Orders?$filter=Number eq '{number}'")        // OData
  /// .lookingUp(by: \.code, at: "Patient?identifier=https://example.com|{code}")  // FHIR
  /// ```
  ///
  /// - Parameters:
  ///   - property: A property whose value no two objects share.
  ///   - template: The URL, absolute or relative to the client's base URL, with the name of the property in braces, at the
  ///     origin of the collection. The value is percent-encoded, and between single quotes each quote in it is doubled.
  ///     An ``Outbox`` can't be made with another template: its initializer throws, and says what to write.
  public static func lookingUp<Value>(by property: KeyPath<Entity, Value>, at template: String) -> Self {
    lookingUp(property, .template(template))
  }

  private static func lookingUp(_ property: PartialKeyPath<Entity>, _ place: LookUpPlace) -> Self {
    // The compiler does not know that the key path is Sendable. A key path is immutable. The key path of a property has no
    // subscript, so it captures no value of the caller. The closures that get it only compare it with those of properties.
    nonisolated(unsafe) let property = property
    return Self { $0.lookUp = ({ $0.index(of: property) }, place) }
  }

  /// After a lost answer to a create or a command, sends it again, although the server may then have it twice. Without
  /// the rule such an entry waits for a person.
  public static var sendingUnknownAgain: Self { Self { $0.repeatsUnknown = true } }

  /// Updates and deletions hold for the version of the object that this store has. Where the server has another one, the
  /// object is read, merged and sent again, at most three times in a row. A PUT that creates an object holds where the
  /// server has none: `If-None-Match: *` (RFC 9110 §13.1.2).
  ///
  /// - Parameter version: Where the version stands.
  public static func ifMatch(_ version: OutboxVersion<Entity>) -> Self { Self { $0.condition = version } }

  /// Merges values of the server with edits that were made here: when a response has another value than the edit was based
  /// on. Without the rule the edit stays, and is sent. A policy that fails a save holds the edit for a person; see
  /// ``Outbox/settle(_:_:)``.
  ///
  /// ```swift
  /// .merging(.byColumn(
  ///   .merge(\Order.Columns.likes) { base, mine, theirs in theirs + (mine - base) },
  ///   .column(\Order.Columns.note, .fail), others: .mine))
  /// ```
  /// - Parameter policy: The policy, as for saves. Its functions run within the transaction of a response.
  public static func merging(_ policy: ConflictPolicy) -> Self { Self { $0.merging = policy } }

  /// An object is sent once nothing that refers to it is pending.
  public static var last: Self { Self { $0.isLast = true } }

  /// Objects that a delete rule deleted with another one are deleted on the server before that one. Without the rule the
  /// server's own rules delete them.
  public static var partsFirst: Self { Self { $0.sendsPartsFirst = true } }

  /// Changes go together, in requests of a form that the service has for it.
  ///
  /// - Parameter batch: The form.
  public static func batch(_ batch: some OutboxBatch) -> Self { Self { $0.batch = batch } }

  /// Makes the request of a change.
  ///
  /// - Parameters:
  ///   - kind: The changes. A deletion has no object any more, and no such rule.
  ///   - make: Makes the request, in a context that reads the store. The request counts as one that carries all
  ///     properties of the change. A missing uid of another object holds the change until the object has one.
  public static func request(
    to kind: OutboxChange.Kind, _ make: @escaping @Sendable (Entity, OutboxChange) throws -> URLRequest
  ) -> Self {
    Self { $0.requests[kind] = make }
  }

  /// A kind of commands for the entity's objects; see ``OutboxCommand``. Commands with an idempotency key are sent again
  /// after a lost answer; without one, a person says what became of them.
  ///
  /// - Parameter type: The type of the commands.
  public static func command<Command: OutboxCommand>(_ type: Command.Type) -> Self where Command.Entity == Entity {
    Self { $0.commands[type.name] = CommandKind(type) }
  }

  /// Files of one kind that belong to the entity's objects; see ``Outbox/attach(_:as:to:filename:contentType:)``.
  ///
  /// ```swift
  /// static var outbox: OutboxRules<Order> { [.rest, .attachment("photo", .put("photo"))] }
  /// ```
  /// A file is uploaded after the create of its object, and after the edits that the object has by then: a later edit
  /// waits for the request under way alone. A command that is enqueued after the file waits for the whole file.
  ///
  /// - Parameters:
  ///   - name: The name of the attachment in the file. No two attachments or commands of an entity share one.
  ///   - uploading: How the file is uploaded.
  public static func attachment(_ name: String, _ uploading: OutboxUploading<Entity>) -> Self {
    Self { $0.uploads[name] = uploading }
  }

  /// Looks at responses with a status of success, for services that say in the body or in a header that they refused. The
  /// `ResponseVerdict` of the entity, or else of the client, counts for requests of the outbox as well.
  ///
  /// - Parameter verdict: Returns the refusal; `nil` for a success.
  public static func verdict(_ verdict: @escaping @Sendable (HTTPResponse) -> OutboxVerdict?) -> Self {
    Self { $0.verdict = verdict }
  }
}

/// Where the version of an object stands, for requests that hold for one version alone.
public struct OutboxVersion<Entity: OutboxEntity>: Sendable {
  enum Place: Sendable {
    /// In the header `ETag` of responses about one object, which the store keeps.
    case etag
    /// In an attribute, which becomes the header `If-Match`.
    case attribute
    /// In an attribute that goes with the body.
    case body
  }

  let place: Place
  /// Whether the version is a weak entity tag.
  var isWeak = false
  /// The index of the attribute.
  let index: @Sendable (EntityModel) -> Int?
  /// The way to give an entity the attribute, for a person.
  var advice = "name one in `ifMatch`"

  /// The `ETag` of the last response about the object (RFC 9110 §8.8.3). An object without one is read before it is sent.
  /// A weak tag holds for no condition (§13.1.1), and counts as none.
  public static var etag: Self { Self(place: .etag) { _ in nil } }

  /// As ``etag``, for a server that compares weak tags, `W/"7"`, as those of FHIR and OData do.
  public static var weakETag: Self {
    var version = etag
    version.isWeak = true
    return version
  }

  /// The value of an attribute, in quotes: `If-Match: "7"`. A deletion holds for the version that the object had here.
  ///
  /// ```swift
  /// .ifMatch(.attribute(\.revision))                  // `var revision: Int`
  /// .ifMatch(.attribute(\.version, isWeak: true))     // FHIR: W/"7", of @Key("meta.versionId")
  /// .ifMatch(.attribute(\.etag))                      // OData: the tag itself, of @Key("@odata\\.etag")
  /// ```
  ///
  /// - Parameters:
  ///   - property: An attribute that the server sets with each change: an integer or a `String`, without a transformer. An
  ///     ``Outbox`` can't be made with another one. A text that is an entity tag already, with its quotes, is sent as it is.
  ///   - isWeak: Whether the header has a weak tag: `If-Match: W/"7"`.
  public static func attribute<Value>(_ property: KeyPath<Entity, Value>, isWeak: Bool = false) -> Self {
    var version = Self(.attribute, property)
    version.isWeak = isWeak
    return version
  }

  /// An attribute that goes with the body of each update, as `lock_version` of Rails does. The server answers 409 to an
  /// old version.
  ///
  /// - Parameter property: An attribute that the server sets with each change.
  public static func body<Value>(_ property: KeyPath<Entity, Value>) -> Self { Self(.body, property) }

  /// As ``attribute(_:isWeak:)``, by the key of the attribute.
  static func key(_ key: String) -> Self {
    var version = Self(place: .attribute) { model in model.properties.firstIndex { $0.key == key } }
    version.advice = "declare an attribute with the key '\(key)'"
    return version
  }

  private init(place: Place, index: @escaping @Sendable (EntityModel) -> Int?) {
    (self.place, self.index) = (place, index)
  }

  private init(_ place: Place, _ property: PartialKeyPath<Entity>) {
    // As in `lookingUp(_:_:)`: immutable, without a captured value, and only compared.
    nonisolated(unsafe) let property = property
    self.init(place: place) { $0.index(of: property) }
  }
}

/// The properties that a request of the outbox carries.
public enum OutboxCarrying: Sendable {
  /// The properties that were edited here and that the server does not have; for a create, those that were set.
  case edited
  /// All properties.
  case all
}

/// A refusal in a response with a status of success; see ``OutboxRules/verdict(_:)``.
public struct OutboxVerdict: Sendable {
  let reason: String

  /// A refusal.
  ///
  /// - Parameter reason: The reason, for the person who settles the entry.
  public static func refused(_ reason: String) -> OutboxVerdict { OutboxVerdict(reason: reason) }
}

/// A change that is about to be sent.
public struct OutboxChange: Sendable {
  /// The kinds of changes that a request is made for.
  public enum Kind: Sendable, Hashable { case create, update }

  public let kind: Kind
  /// The names of the properties that the request is to carry.
  public let properties: [String]
  /// The idempotency key. The outbox sets its header; `nil` without the rule.
  public let idempotencyKey: String?
}
