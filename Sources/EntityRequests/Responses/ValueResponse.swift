public import EntityJSON
public import Foundation

/// The result of a request that is about no entity: the value of the response, and the response itself.
///
/// ```swift
/// // {"data": {"name": "Ada"}, "meta": {"quota": 7}}
/// let response = try await client.get("users/1", as: Person.self, options: .envelope("data"))
/// response.value.name
/// try response.meta(Int.self, at: "meta.quota")
/// ```
public struct ValueResponse<Value: Sendable>: Sendable {
  public let value: Value
  public let status: Int
  public let headers: HTTPHeaders
  /// The URL that answered.
  public let url: URL?
  /// The whole body as parsed, envelope included; `nil` when there was none. It keeps the body in memory.
  public let json: JSONValue?
  /// The transport's figures of the request; `nil` when it measures nothing.
  public let metrics: TransferMetrics?
  let decoder: JSONValueDecoder
}

extension ValueResponse: CustomStringConvertible, CustomReflectable {
  /// Status and URL, with no values of the query and nothing of the body.
  public var description: String { "\(Value.self): status \(status)\(url.map { " from \($0.shown)" } ?? "")" }

  public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

extension ValueResponse {
  /// A part of the whole body: metadata that stands beside the value.
  ///
  /// - Parameters:
  ///   - type: Any Decodable type. An Optional is `nil` when the body or the key path is absent.
  ///   - keyPath: Where the metadata stands in the whole body; `nil` means the whole body.
  /// - Throws: ``RequestError`` of kind `envelope` when the key path is absent, and of kind `mapping` when the value is not
  ///   of the type, or there is no body.
  public func meta<Meta: Decodable>(_ type: Meta.Type = Meta.self, at keyPath: String? = nil) throws -> Meta {
    do {
      return try BodyReading(decoder: decoder).metadata(type, in: json, at: keyPath)
    } catch let error as RequestError {
      throw error.about(nil, url)
    }
  }
}

extension EntityResponse {
  /// A part of the whole body: metadata that stands beside the objects, read with the client's decoder.
  ///
  /// ```swift
  /// // {"data": [{"id": 1}], "paging": {"total": 171}}
  /// let response = try await User.get(options: .envelope("data"))
  /// try response.meta(Int.self, at: "paging.total")
  /// ```
  ///
  /// - Parameters:
  ///   - type: Any Decodable type. An Optional is `nil` when the body or the key path is absent.
  ///   - keyPath: Where the metadata stands in the whole body; `nil` means the whole body.
  /// - Throws: ``RequestError`` of kind `envelope` when the key path is absent, and of kind `mapping` when the value is not
  ///   of the type, or there is no body.
  public func meta<Meta: Decodable>(_ type: Meta.Type = Meta.self, at keyPath: String? = nil) throws -> Meta {
    do {
      return try BodyReading(decoder: decoder).metadata(type, in: value, at: keyPath)
    } catch let error as RequestError {
      throw error.about(nil, url)
    }
  }
}
