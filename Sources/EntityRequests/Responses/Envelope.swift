import EntityJSON
import Foundation

/// The step that takes the objects out of the envelope of the server.
enum Envelope {
  /// The array or object under the key path; an empty one means the whole body. An array at the top level has no envelope and is taken as it is.
  ///
  /// - Throws: ``RequestError`` of kind `envelope` or `parsing` with the response.
  static func open(_ body: JSONValue, _ keyPath: String?, _ response: HTTPResponse?) throws -> JSONValue {
    guard let keyPath, !keyPath.isEmpty, body.kind != .array else {
      guard body.kind == .array || body.kind == .object else {
        throw RequestError(
          .parsing, "The body is neither an array nor an object, but of kind '\(body.kind)'.", response: response)
      }
      return body
    }
    guard let value = body[keyPath] else {
      throw RequestError(
        .envelope, "The body has nothing under the envelope '\(keyPath.prefix(200).escaped)'.", response: response)
    }
    guard value.kind == .array || value.kind == .object else {
      throw RequestError(
        .envelope,
        "Under the envelope '\(keyPath.prefix(200).escaped)' is neither an array nor an object, but '\(value.kind)'.",
        response: response)
    }
    return value
  }
}
