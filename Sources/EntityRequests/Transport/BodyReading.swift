import EntityJSON
import Foundation

/// Reads values of the caller's types from bodies.
struct BodyReading: Sendable {
  var limits = JSONLimits.standard
  var decoder = JSONValueDecoder()
  var errorModels = ErrorModels()
  /// Finds refusals among responses with a status of success, and the words of all; `nil` without a verdict.
  var refusal: (@Sendable (HTTPResponse, JSONValue?) throws -> RequestError?)?
  /// The formats besides JSON.
  var formats: [any ResponseFormat] = []

  /// Parses the body, in the format of the response, as JSON. The depth is at most the standard one, because values are
  /// read by recursion.
  func parse(_ response: HTTPResponse) throws -> JSONValue {
    var limits = limits
    limits.depth = min(limits.depth, JSONLimits.standard.depth)
    guard let (format, contentType) = format(of: response) else {
      let body = try TextRecoding.utf8(response.body, contentType: response.headers["Content-Type"])
      return try JSONValue(parsing: body, limits: limits)
    }
    let value = try format.value(of: response.body, contentType: contentType, limits: limits)
    return format.isTyped ? value : value.untyped
  }

  /// The format of a response; `nil` for JSON.
  func format(of response: HTTPResponse) -> (format: any ResponseFormat, contentType: ContentType)? {
    guard !formats.isEmpty, let contentType = response.headers["Content-Type"].map(ContentType.init) else { return nil }
    return formats.first { $0.reads(contentType) }.map { ($0, contentType) }
  }

  /// The value at a key path; `nil` and the empty string mean the whole body. An Optional is `nil` when there is no
  /// body.
  ///
  /// - Throws: ``RequestError`` of kind `envelope` when the key path is absent, and of kind `mapping` when the value is
  ///   not of the type, or the body is absent.
  func value<V: Decodable>(_ type: V.Type, in body: JSONValue?, at keyPath: String?) throws -> V {
    guard let body else {
      if let absent = absent(type) { return absent }
      throw RequestError(.mapping, "The response has no body to be read as '\(Self.name(type))'.")
    }
    guard let keyPath, !keyPath.isEmpty else { return try decode(type, body, "The body") }
    let name = keyPath.prefix(200).escaped
    guard let value = body[keyPath] ?? body.value(forList: keyPath) else {
      throw RequestError(.envelope, "The body has nothing under '\(name)'.")
    }
    return try decode(type, value, "The value under '\(name)'")
  }

  /// - Parameter place: Begins the message of an error.
  private func decode<V: Decodable>(_ type: V.Type, _ value: JSONValue, _ place: String) throws -> V {
    do {
      return try decoder.decode(type, from: value)
    } catch {
      throw RequestError(
        .mapping, "\(place) can't be read as '\(Self.name(type))': \(RequestError.shown(error)).", underlying: error)
    }
  }

  /// Reads as ``value(_:in:at:)`` does, but an Optional is also `nil` when the key path is absent.
  func metadata<V: Decodable>(_ type: V.Type, in body: JSONValue?, at keyPath: String?) throws -> V {
    if let body, let keyPath, !keyPath.isEmpty, body[keyPath] == nil, let absent = absent(type) { return absent }
    return try value(type, in: body, at: keyPath)
  }

  /// `nil` as a value of the type, when the type is an Optional.
  private func absent<V: Decodable>(_ type: V.Type) -> V? {
    (type as? any OptionalValue.Type)?.none as? V
  }

  private static func name<V>(_ type: V.Type) -> String { "\("\(type)".prefix(200))" }
}

/// An Optional of any type.
protocol OptionalValue {
  static var none: Self { get }
}
extension Optional: OptionalValue {}
