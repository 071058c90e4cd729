import Foundation

/// A response of the inspector. Each one has the headers that keep other pages and caches away from it.
struct ServerResponse: Sendable {
  enum Content: String, Sendable {
    case html = "text/html; charset=utf-8"
    case json = "application/json"
    case script = "text/javascript; charset=utf-8"
    case style = "text/css; charset=utf-8"
    case text = "text/plain; charset=utf-8"
  }

  let status: Int
  let content: Content
  let body: [UInt8]
  var fields: [(name: String, value: String)] = []

  init(_ status: Int, _ content: Content, _ body: [UInt8]) {
    (self.status, self.content, self.body) = (status, content, body)
  }

  /// A short text, such as a refusal.
  init(_ status: Int, _ text: String) { self.init(status, .text, Array("\(text)\n".utf8)) }

  static func redirect(to path: String) -> ServerResponse {
    var response = ServerResponse(303, "See \(path)")
    response.fields.append(("Location", path))
    return response
  }

  /// The whole response. A connection has one.
  var bytes: [UInt8] {
    var fields = Self.guards + self.fields
    fields.append(("Content-Type", content.rawValue))
    fields.append(("Content-Length", "\(body.count)"))
    return Self.head(status, fields) + body
  }

  /// The head of a stream of events (https://html.spec.whatwg.org/multipage/server-sent-events.html).
  static var eventHead: [UInt8] { head(200, guards + [("Content-Type", "text/event-stream")]) }

  private static func head(_ status: Int, _ fields: [(name: String, value: String)]) -> [UInt8] {
    let lines = fields.map { "\($0.name): \($0.value)\r\n" }.joined()
    return Array("HTTP/1.1 \(status) \(reasons[status] ?? "")\r\n\(lines)\r\n".utf8)
  }

  /// Nothing is kept, framed, guessed or loaded from elsewhere.
  private static let guards: [(name: String, value: String)] = [
    ("Connection", "close"), ("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff"),
    ("X-Frame-Options", "DENY"), ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Resource-Policy", "same-origin"), ("Cross-Origin-Opener-Policy", "same-origin"),
    (
      "Content-Security-Policy",
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; form-action 'self'; "
        + "base-uri 'self'; frame-ancestors 'none'"
    ),
  ]

  private static let reasons = [
    200: "OK", 303: "See Other", 400: "Bad Request", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed",
    408: "Request Timeout", 413: "Content Too Large", 421: "Misdirected Request",
    431: "Request Header Fields Too Large", 500: "Internal Server Error", 503: "Service Unavailable",
  ]
}
