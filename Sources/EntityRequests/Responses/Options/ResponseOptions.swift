public import EntityJSON
public import EntityStore

/// How a response is read: where its objects stand in the body, and how the store's objects and edits are treated.
///
/// ```swift
/// try await User.get(options: .envelope("data"))
/// try await User.get(options: [.envelope("data"), .deleteMissing(in: User.all)])
/// ```
///
/// Each option is a value of this type, and so is a list of them. A project keeps its own beside the entity:
///
/// ```swift
/// extension ResponseOptions<User> {
///   static var list: Self { [.envelope("data"), .parts([.list(Post.self, at: "posts")])] }
/// }
/// try await User.get(options: [.list, .localEdits(.overwrite)])
/// ```
///
/// In a list, a later option replaces an earlier option of its kind. Parts add up.
public struct ResponseOptions<Entity: RemoteEntity>: Sendable {
  private(set) var envelope: Envelope?
  private(set) var parts: [ResponsePart] = []
  private(set) var errorModel: ErrorModel?
  var verdict: ResponseVerdict?
  var cache: CachePolicy?
  /// How the response is streamed; `nil` when it is taken in as a whole.
  var streaming: Streaming?
  private(set) var allowed: ResourceAllowance = []
  /// True when a write of an object does not wait for other writes of it.
  private(set) var isAtOnce = false
  /// Whether a 404 to a DELETE means that the object is gone.
  private(set) var isGoneOn404 = false
  private var givenMissing: MissingObjects<Entity>?
  private var givenLocalEdits: LocalEdits?
  private var givenLimits: JSONLimits?
  var upsert = UpsertOptions()

  var missing: MissingObjects<Entity> { givenMissing ?? .keep }
  var localEdits: LocalEdits { givenLocalEdits ?? .keep }
  var limits: JSONLimits { givenLimits ?? .standard }
  /// True when the request sets the limits.
  var hasLimits: Bool { givenLimits != nil }
  var deletesMissing: Bool { missing.scope != nil || parts.contains { $0.missing != nil } }

  private init() {}

  init(_ set: (inout Self) -> Void) { set(&self) }
}

extension ResponseOptions {
  /// Where the response holds its objects: a key path, or an ``Envelope`` that tells lists from single objects. It
  /// comes before the envelope of the entity and of the client. `.envelope(.wholeBody)` means the whole body.
  public static func envelope(_ envelope: Envelope) -> Self { Self { $0.envelope = envelope } }

  /// Where the response holds objects of other entities; see ``ResponsePart``.
  public static func parts(_ parts: [ResponsePart]) -> Self { Self { $0.parts = parts } }

  /// Deletes the objects that the response names as deleted, beside its own; see ``ResponsePart/deleted(_:at:isRequired:)``.
  ///
  /// ```swift
  /// // {"changed": [{"id": 7, …}], "deleted": [5, 6]}
  /// try await Post.get(query: ["since": token], options: [.envelope("changed"), .deleted(at: "deleted")])
  /// ```
  ///
  /// - Parameter keyPath: Where the array of ids, or of objects with their uid, stands in the whole body. An absent one says
  ///   nothing.
  public static func deleted(at keyPath: String) -> Self { .parts([.deleted(Entity.self, at: keyPath)]) }

  /// Deletes the objects of the scope that the response lacks; see ``MissingObjects/deleteMissing(in:atMost:)``.
  ///
  /// ```swift
  /// try await User.get(options: .deleteMissing(in: User.all, atMost: 20))
  /// try await User.get(options: .deleteMissing(in: User.all, atMost: .share(0.1)))
  /// ```
  ///
  /// - Parameters:
  ///   - scope: The objects that a complete response has.
  ///   - limit: The most objects that may be missing; with more, nothing of the response is written.
  public static func deleteMissing(in scope: EntityQuery<Entity>, atMost limit: DeletionLimit? = nil) -> Self {
    missing(.deleteMissing(in: scope, atMost: limit))
  }

  /// The rule for objects that the response lacks; by default they are kept.
  public static func missing(_ missing: MissingObjects<Entity>) -> Self { Self { $0.givenMissing = missing } }

  /// The rule for columns that were edited here and that the server does not know yet; by default the edits are kept.
  public static func localEdits(_ localEdits: LocalEdits) -> Self { Self { $0.givenLocalEdits = localEdits } }

  /// The limits of the JSON reader for the body; by default `JSONLimits.standard`. A depth over 512 means 512. A body
  /// over a limit is an error of kind `parsing`.
  public static func limits(_ limits: JSONLimits) -> Self { Self { $0.givenLimits = limits } }

  /// The places that the resource of the request may lead to, besides those of its entity. The places of several
  /// options add up.
  ///
  /// - Parameter allowed: The places.
  public static func allowing(_ allowed: ResourceAllowance) -> Self { Self { $0.allowed = allowed } }

  /// Sends a write of an object without waiting for the answers to earlier writes of the object. The write may then
  /// overtake an earlier one: for example the upload of a large file. Other requests never wait.
  public static var atOnce: Self { Self { $0.isAtOnce = true } }

  /// Takes a 404 to a DELETE as proof that the object is gone, so that its row is deleted too. Without the option a 404
  /// is thrown as any failure. A 410 always means that the object is gone.
  public static var deletesOn404: Self { Self { $0.isGoneOn404 = true } }

  /// The type that the body of a refusal is read as. It comes before the error models of routes and the client; see
  /// ``ErrorModel``.
  ///
  /// - Parameters:
  ///   - type: Any Decodable type.
  ///   - keyPath: Where the model stands in the body; `nil` means the whole body.
  public static func errorModel<Model: Decodable & Sendable>(_ type: Model.Type, at keyPath: String? = nil) -> Self {
    Self { $0.errorModel = ErrorModel(type, at: keyPath) }
  }

  /// The options of a DELETE.
  static func deleting(_ allowed: ResourceAllowance, on404: Bool) -> Self {
    on404 ? [.allowing(allowed), .deletesOn404] : .allowing(allowed)
  }

  /// The entities that a response may have objects of.
  var entityNames: Set<String> {
    let own: Set<String> = Entity.self == EntityDocument.self ? [] : [Entity.entityName]
    return own.union(parts.flatMap { $0.types }.map { $0.entityName })
  }
}

extension ResponseOptions: ExpressibleByArrayLiteral {
  /// All of the options at once.
  public init(arrayLiteral options: ResponseOptions...) {
    self.init()
    for option in options { add(option) }
  }

  private mutating func add(_ other: Self) {
    envelope = other.envelope ?? envelope
    parts += other.parts
    errorModel = other.errorModel ?? errorModel
    verdict = other.verdict ?? verdict
    cache = other.cache ?? cache
    streaming = other.streaming ?? streaming
    allowed.formUnion(other.allowed)
    isAtOnce = isAtOnce || other.isAtOnce
    isGoneOn404 = isGoneOn404 || other.isGoneOn404
    givenMissing = other.givenMissing ?? givenMissing
    givenLocalEdits = other.givenLocalEdits ?? givenLocalEdits
    givenLimits = other.givenLimits ?? givenLimits
    upsert.add(other.upsert)
  }
}
