public import EntityJSON

/// How the client's own verbs read a response: where the value or the objects stand in the body, and how values are
/// decoded.
///
/// ```swift
/// try await client.get("users/1", as: Person.self, options: .envelope("data"))
/// try await client.get("users/1", as: Person.self, options: [.envelope("data"), .limits(JSONLimits(bytes: 65_536))])
/// ```
///
/// Each option is a value of this type, and so is a list of them. In a list, a later option replaces an earlier option
/// of its kind. The options of entities are ``ResponseOptions``.
public struct ValueOptions: Sendable {
  private(set) var envelope: Envelope?
  private(set) var limits: JSONLimits?
  private(set) var decoder: JSONValueDecoder?
  private(set) var errorModel: ErrorModel?
  private(set) var verdict: ResponseVerdict?
  private(set) var allowed: ResourceAllowance = []

  private init() {}

  private init(_ set: (inout Self) -> Void) { set(&self) }
}

extension ValueOptions {
  /// Where the response holds the value: a key path, or an ``Envelope`` that tells lists from single objects. It comes
  /// before the envelope of the client. `.envelope(.wholeBody)` means the whole body.
  ///
  /// - Parameter envelope: The envelope; a literal is a key path.
  public static func envelope(_ envelope: Envelope) -> Self { Self { $0.envelope = envelope } }

  /// The limits of the JSON reader for the body, also for the body of a refusal; by default `JSONLimits.standard`. A
  /// depth over 512 means 512. A body over a limit is an error of kind `parsing`.
  ///
  /// - Parameter limits: The limits.
  public static func limits(_ limits: JSONLimits) -> Self { Self { $0.limits = limits } }

  /// The strategies for keys, dates and so on. They come before the strategies of the client.
  ///
  /// - Parameter decoder: The decoder of the value, of metadata and of the error model.
  public static func decoder(_ decoder: JSONValueDecoder) -> Self { Self { $0.decoder = decoder } }

  /// The places that the resource of the request may lead to, besides those below the base URL. The places of several
  /// options add up.
  ///
  /// - Parameter allowed: The places.
  public static func allowing(_ allowed: ResourceAllowance) -> Self { Self { $0.allowed = allowed } }

  /// The type that the body of a refusal is read as. It comes before the error models of routes and the client; see
  /// ``ErrorModel``.
  ///
  /// - Parameters:
  ///   - type: Any Decodable type.
  ///   - keyPath: Where the model stands in the body; `nil` means the whole body.
  public static func errorModel<Model: Decodable & Sendable>(_ type: Model.Type, at keyPath: String? = nil) -> Self {
    Self { $0.errorModel = ErrorModel(type, at: keyPath) }
  }

  /// Tells refusals from successes. It comes before the verdict of the client.
  public static func verdict(_ verdict: ResponseVerdict) -> Self { Self { $0.verdict = verdict } }
}

extension ValueOptions: ExpressibleByArrayLiteral {
  /// All of the options at once.
  public init(arrayLiteral options: ValueOptions...) {
    self.init()
    for option in options { add(option) }
  }

  private mutating func add(_ other: Self) {
    envelope = other.envelope ?? envelope
    limits = other.limits ?? limits
    decoder = other.decoder ?? decoder
    errorModel = other.errorModel ?? errorModel
    verdict = other.verdict ?? verdict
    allowed.formUnion(other.allowed)
  }
}
