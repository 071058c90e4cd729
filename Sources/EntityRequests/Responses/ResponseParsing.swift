import EntityJSON
import Foundation

/// The step from bytes to JSON, by the format of the body.
enum ResponseParsing {
  /// The parsed body; `nil` when there is none: 204, 205, 304, the answer to HEAD, and bodies of nothing but whitespace.
  ///
  /// - Throws: ``RequestError`` of kind `parsing` with the response.
  static func value(of response: HTTPResponse, to method: HTTPMethod, _ reading: BodyReading) throws -> JSONValue? {
    guard method != .head, ![204, 205, 304].contains(response.status), !isBlank(response.body) else { return nil }
    do {
      return try reading.parse(response)
    } catch let error as CancellationError {
      throw error
    } catch {
      throw failure(error, response, reading)
    }
  }

  /// The error of a body that is not of its format.
  static func failure(_ error: any Error, _ response: HTTPResponse, _ reading: BodyReading) -> RequestError {
    let format = reading.format(of: response)?.format.name ?? "JSON"
    let type = response.headers["Content-Type"].map { "'\($0.prefix(100).escaped)'" } ?? "not given"
    return RequestError(
      .parsing, "The body is not \(format) (its content type is \(type)): \(RequestError.shown(error))",
      response: response, underlying: error)
  }

  /// RFC 8259 §2.
  private static func isBlank(_ data: Data) -> Bool {
    data.count <= 64 && data.allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
  }
}
