public import EntityJSON
public import EntityStore
public import Foundation

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// Responses that another HTTP client delivered go the same way into the store. No adapter and no network are involved,
/// and a client is needed only where no store is named.
extension RemoteEntity {
  /// Takes the objects of a response body into the store.
  ///
  /// ```swift
  /// let (data, response) = try await URLSession.shared.data(for: User.request(.get))
  /// let users = try await User.upsert(from: data, response: response, in: store).ids
  /// ```
  ///
  /// - Parameters:
  ///   - data: The body.
  ///   - response: Its status, if given, must be a success.
  ///   - store: By default the client's.
  ///   - envelope: As in ``get(_:query:in:envelope:parts:missing:localEdits:modify:progress:)``.
  ///   - parts: Where the body holds objects of other entities; see ``ResponsePart``.
  ///   - missing: What happens to objects that the body lacks: by default nothing.
  ///   - localEdits: What becomes of columns that were edited here and that the server does not know yet.
  /// - Throws: ``RequestError``; `CancellationError`. Nothing was written then.
  @discardableResult
  public nonisolated(nonsending) static func upsert(
    from data: Data, response: URLResponse? = nil, in store: EntityStore? = nil, envelope: String? = nil,
    parts: [ResponsePart] = [], missing: MissingObjects<Self> = .keep, localEdits: LocalEdits = .keep
  ) async throws -> EntityResponse<Self> {
    let isHTTP = response is HTTPURLResponse
    let response = HTTPResponse(data, response)
    return try await take(response, nil, store, envelope, parts, missing, localEdits, hasStatus: isHTTP)
  }

  /// Takes the objects of a response into the store.
  @discardableResult
  public nonisolated(nonsending) static func upsert(
    from response: HTTPResponse, in store: EntityStore? = nil, envelope: String? = nil,
    parts: [ResponsePart] = [], missing: MissingObjects<Self> = .keep, localEdits: LocalEdits = .keep
  ) async throws -> EntityResponse<Self> {
    try await take(response, nil, store, envelope, parts, missing, localEdits)
  }

  /// Takes the objects of a parsed value into the store.
  @discardableResult
  public nonisolated(nonsending) static func upsert(
    from value: JSONValue, in store: EntityStore? = nil, envelope: String? = nil,
    parts: [ResponsePart] = [], missing: MissingObjects<Self> = .keep, localEdits: LocalEdits = .keep
  ) async throws -> EntityResponse<Self> {
    try await take(HTTPResponse(status: 200), value, store, envelope, parts, missing, localEdits, hasStatus: false)
  }

  private nonisolated(nonsending) static func take(
    _ response: HTTPResponse, _ value: JSONValue?, _ store: EntityStore?, _ envelope: String?,
    _ parts: [ResponsePart], _ missing: MissingObjects<Self>, _ localEdits: LocalEdits, hasStatus: Bool = true
  ) async throws -> EntityResponse<Self> {
    let client = try? Client.current
    let target = try store ?? Client.current.store
    let keyPath = Envelope.keyPath(Self.self, request: envelope, client: client)
    let delivered = DeliveredResponse<Self>(
      response: response, value: value, core: target.core, envelope: keyPath, parts: parts,
      missing: missing, localEdits: localEdits, hasStatus: hasStatus)
    let result: EntityResponse<Self>
    do { result = atCaller(try await delivered.run()) } catch { throw atCaller(error) }
    MainMerge.merge(target, #isolation)
    return result
  }
}

/// A response that came by other ways.
private struct DeliveredResponse<E: RemoteEntity>: Sendable {
  let response: HTTPResponse
  let value: JSONValue?
  let core: StoreCore
  let envelope: String?
  let parts: [ResponsePart]
  let missing: MissingObjects<E>
  let localEdits: LocalEdits
  /// Whether there was a status; else that of success stands for it.
  let hasStatus: Bool

  @concurrent func run() async throws -> EntityResponse<E> {
    do {
      return try await take()
    } catch var error as RequestError {
      error.hasStatus = hasStatus
      throw error
    }
  }

  private func take() async throws -> EntityResponse<E> {
    let sequence = core.requests.begin()
    defer { core.requests.end(sequence) }
    try ResponseStatus.check(response, to: .get)
    let body = try value ?? ResponseParsing.value(of: response, to: .get)
    var upsert = try ResponseUpsert<E>(of: body, envelope, parts, response, sequence: sequence)
    try upsert.takeMissing(missing, body, response)
    upsert.localEdits = localEdits
    return EntityResponse(try await core.taking(upsert, response), response, body, core)
  }
}

extension HTTPResponse {
  fileprivate init(_ body: Data, _ response: URLResponse?) {
    let http = response as? HTTPURLResponse
    self.init(status: http?.statusCode ?? 200, url: response?.url, body: body)
    let fields = (http?.allHeaderFields ?? [:]).map { (name: "\($0.key)", value: "\($0.value)") }
    for field in fields.sorted(by: { $0.name < $1.name }) { headers.add(field.value, to: field.name) }
  }
}
