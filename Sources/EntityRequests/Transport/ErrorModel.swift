import EntityJSON

/// The type that the bodies of refusals are read as.
///
/// ```swift
/// struct Problem: Decodable, Sendable {
///   let code: Int
///   let message: String
/// }
/// // 401 with {"error": {"code": 7, "message": "The session has ended."}}
/// let client = try Client(adapter: adapter, baseURL: url, errorModel: ErrorModel(Problem.self, at: "error"))
/// do {
///   try await client.get("users/1", as: Person.self)
/// } catch let error as RequestError {
///   print(error.model(as: Problem.self)?.message ?? error.description)
/// }
/// ```
///
/// An error model applies to each status that is no success, with every verb: of entities, of their objects and of the
/// client. The error has kind `status`. When the body can't be read as the type, there is no model:
/// ``RequestError/underlying`` says why, and ``RequestError/response`` still has the body. A model is never stored.
public struct ErrorModel: Sendable {
  let read: @Sendable (JSONValue, BodyReading) throws -> any Sendable

  /// A model of one type.
  ///
  /// - Parameters:
  ///   - type: Any Decodable type, but no entity.
  ///   - keyPath: Where the model stands in the body; `nil` means the whole body. Envelopes say nothing about refusals.
  public init<Model: Decodable & Sendable>(_ type: Model.Type, at keyPath: String? = nil) {
    read = { body, reading in try reading.value(type, in: body, at: keyPath) }
  }
}

/// The error models that count for one request, the nearest first.
struct ErrorModels: Sendable {
  var ofRequest: ErrorModel?
  /// The error model that the routes of the client choose; `nil` without routes.
  var ofRoutes: (@Sendable (HTTPResponse, JSONValue?) throws -> ErrorModel?)?
  var ofClient: ErrorModel?

  var isEmpty: Bool { ofRequest == nil && ofRoutes == nil && ofClient == nil }

  /// - Parameter body: `nil` when the refusal has no body, or its body is not JSON.
  /// - Throws: The errors of a route's closure.
  func model(of response: HTTPResponse, _ body: JSONValue?) throws -> ErrorModel? {
    try ofRequest ?? ofRoutes?(response, body) ?? ofClient
  }
}

extension RequestError {
  /// The error model of the response, if it has the type; see ``ErrorModel``.
  ///
  /// - Parameter type: The type of the error model.
  public func model<Model>(as type: Model.Type = Model.self) -> Model? { model as? Model }

  /// A part of the response's body, whatever the status: metadata beside the objects, or the message of a refusal.
  ///
  /// ```swift
  /// let quota = try error.meta(Int.self, at: "meta.quota")
  /// ```
  ///
  /// - Parameters:
  ///   - type: Any Decodable type. An Optional is `nil` when the body or the key path is absent.
  ///   - keyPath: Where the value stands in the whole body; `nil` means the whole body.
  /// - Throws: ``RequestError`` of kind `envelope` when the key path is absent, and of kind `mapping` when the value is
  ///   not of the type, or there is no JSON body.
  public func meta<Meta: Decodable>(_ type: Meta.Type = Meta.self, at keyPath: String? = nil) throws -> Meta {
    do {
      return try reading.metadata(type, in: body, at: keyPath)
    } catch var error as RequestError {
      error.response = response
      error.hasStatus = hasStatus
      throw error.about(method, self.url)
    }
  }
}
