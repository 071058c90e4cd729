import FlyingFox
import Foundation

/// A refusal: a status, and a body that says why to programs (`code`) and to people (`message`).
struct ServerError: Error {
  let status: HTTPStatusCode
  let code: String
  let message: String
  var headers: [HTTPHeader: String] = [:]

  static let malformedJSON = ServerError(
    status: .badRequest, code: "malformed_json", message: "The body is not valid JSON.")
  static let notAnObject = ServerError(
    status: .badRequest, code: "invalid_body", message: "The body must be a JSON object.")
  static let unauthorized = ServerError(
    status: .unauthorized, code: "unauthorized", message: "A valid bearer token is required.",
    headers: [HTTPHeader("WWW-Authenticate"): "Bearer"])
  static let unknownPath = ServerError(status: .notFound, code: "not_found", message: "There is nothing at this path.")
  static let tooLarge = ServerError(
    status: .payloadTooLarge, code: "body_too_large", message: "The body is larger than the server takes.")
  static let unsupportedMediaType = ServerError(
    status: .unsupportedMediaType, code: "unsupported_media_type",
    message: "The body must be application/json or application/x-www-form-urlencoded.")

  static func invalidParameter(_ message: String) -> ServerError {
    ServerError(status: .badRequest, code: "invalid_parameter", message: message)
  }

  static func invalidEmail(_ text: String) -> ServerError {
    ServerError(
      status: .unprocessableContent, code: "invalid_email", message: "'\(text)' is no e-mail address: it has no @.")
  }

  static func unknownUser(_ id: Int) -> ServerError {
    ServerError(status: .notFound, code: "not_found", message: "No user has the id \(id).")
  }

  /// RFC 9110 §15.5.6: the answer names the methods that there are.
  static func notAllowed(_ method: String, allowed: String) -> ServerError {
    ServerError(
      status: .methodNotAllowed, code: "method_not_allowed", message: "\(method) is not possible here.",
      headers: [HTTPHeader("Allow"): allowed])
  }

  var response: HTTPResponse {
    let body = JSONValue.object(["error": .object(["code": .string(code), "message": .string(message)])])
    var response = HTTPResponse(json: (try? body.json()) ?? [], status: status)
    for (header, value) in headers {
      response.headers[header] = value
    }
    return response
  }
}

extension HTTPResponse {
  /// An answer with a JSON body, which is sent with its length and in pieces larger than FlyingFox's 4 KiB.
  init(json: [UInt8], status: HTTPStatusCode = .ok) {
    self.init(
      statusCode: status, headers: [.contentType: "application/json"],
      body: HTTPBodySequence(data: Data(json), suggestedBufferSize: 256 * 1024))
  }
}
