import EntityJSON
public import EntityRequests
public import Foundation

/// A request and its outcome, in a recording.
public struct RecordedInteraction: Sendable, CustomStringConvertible {
  /// The method of the request.
  public var method: HTTPMethod
  /// The URL as it was sent, without secrets.
  public var url: String
  /// The header fields of the request. They are kept for reading, and are not compared.
  public var headers: HTTPHeaders
  /// The body of the request.
  public var body: Data
  /// The response, or the error with which a transport reported that there is none.
  public var outcome: Result<HTTPResponse, TransportError>

  public var description: String { "\(method) \(url)" }

  /// The transport's figures for a response or an error.
  var metrics: TransferMetrics? {
    switch outcome {
    case .success(let response): response.metrics
    case .failure(let error): error.metrics
    }
  }

  /// Whether another interaction has the same request, byte by byte.
  func isEqual(to other: RecordedInteraction) -> Bool {
    method == other.method && url == other.url && body == other.body
  }

  /// The difference of another interaction's request from this one's; `nil` where they differ at most in secrets.
  func difference(from other: RecordedInteraction) -> String? {
    if method != other.method { return "the method is \(other.method), and not \(method)" }
    if !RedactedText(url.utf8, endsAt: "/?#&").matches(other.url.utf8) {
      return "the URL is \(other.url), and not \(url)"
    }
    if !Self.isEqual(body, other.body) { return "the body is \(Self.shown(other.body)), and not \(Self.shown(body))" }
    return nil
  }

  /// Whether two bodies mean the same: the keys of JSON may be in any order.
  ///
  /// - Parameter left: The body in the recording.
  private static func isEqual(_ left: Data, _ right: Data) -> Bool {
    if left == right { return true }
    guard let first = try? JSONValue(parsing: left), let second = try? JSONValue(parsing: right) else {
      return RedactedText(left, endsAt: "&\"\r\n").matches(right)
    }
    return first == second
      || RedactedText(first.data(format: .sorted), endsAt: "\"").matches(second.data(format: .sorted))
  }

  private static func shown(_ body: Data) -> String {
    if body.isEmpty { return "empty" }
    let text = String(decoding: body.prefix(200), as: UTF8.self)
    return "'\(text)\(body.count > 200 ? "…" : "")'"
  }
}
