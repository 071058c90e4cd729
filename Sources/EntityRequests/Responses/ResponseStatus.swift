import EntityJSON
import Foundation

/// The step that tells success from failure.
enum ResponseStatus {
  /// 2xx is success, and to GET and HEAD so is 304: the app has the server's state already (RFC 9110 §15.3, §15.4.5).
  static func isSuccess(_ status: Int, to method: HTTPMethod) -> Bool {
    (200...299).contains(status) || (status == 304 && (method == .get || method == .head))
  }

  /// - Parameters:
  ///   - url: The URL of the request, if it is known, for a response without a URL.
  ///   - alsoSuccess: Statuses that mean success for this request.
  ///   - reading: Has the error model.
  /// - Throws: ``RequestError`` of kind `status` with the response, the words that a verdict finds in its body, and the error
  ///   model of the body.
  static func check(
    _ response: HTTPResponse, to method: HTTPMethod, at url: URL? = nil, alsoSuccess: Set<Int> = [],
    _ reading: BodyReading
  ) throws {
    guard !isSuccess(response.status, to: method), !alsoSuccess.contains(response.status) else { return }
    let reason = reasons[response.status].map { ": \($0)" } ?? ""
    var error = RequestError(
      .status, "The server refused the request\(reason).\(place(in: response, to: response.url ?? url))",
      response: response)
    var body: JSONValue?
    if let refusal = reading.refusal {
      // The refusal is sure: a body or a verdict that fails has no words.
      if let parsed = try? ResponseParsing.value(of: response, to: method, reading) { body = parsed }
      error.serverMessage = (try? refusal(response, body))?.serverMessage
    }
    throw modelled(error, response, method, reading, body)
  }

  /// Looks at a response with a status of success.
  ///
  /// - Parameter body: The parsed body; `nil` when there is none.
  /// - Throws: ``RequestError`` of kind `status` for a refusal, with the error model of its body; the error of a verdict.
  static func judge(
    _ response: HTTPResponse, _ body: JSONValue?, to method: HTTPMethod, _ reading: BodyReading
  ) throws {
    guard let judge = reading.refusal, (200...299).contains(response.status),
      let refusal = try judge(response, body)
    else { return }
    throw modelled(refusal, response, method, reading, body)
  }

  /// The error with the model of its body. If the body can't be read as the model, the error keeps its kind, and says
  /// why.
  ///
  /// - Parameter body: The body, if it is parsed already.
  private static func modelled(
    _ error: RequestError, _ response: HTTPResponse, _ method: HTTPMethod, _ reading: BodyReading,
    _ body: JSONValue? = nil
  ) -> RequestError {
    guard !reading.errorModels.isEmpty else { return error }
    do {
      let parsing = Result { try body ?? ResponseParsing.value(of: response, to: method, reading) }
      let errorModel = try reading.errorModels.model(of: response, try? parsing.get())
      guard let errorModel, let body = try parsing.get() else { return error }
      var error = error
      error.model = try errorModel.read(body, reading)
      return error
    } catch let fault {
      guard let fault = fault as? RequestError else { return error }
      var unread = RequestError(
        error.kind, "\(error.message) \(fault.message)", response: response, underlying: fault.underlying ?? fault)
      unread.serverMessage = error.serverMessage
      return unread
    }
  }

  /// The target of a redirect (RFC 9110 §10.2.2, §15.4) that no adapter followed.
  private static func place(in response: HTTPResponse, to url: URL?) -> String {
    guard (300...399).contains(response.status), let text = response.headers["Location"], !text.isEmpty else {
      return ""
    }
    guard let location = URL(string: text, relativeTo: url)?.absoluteURL, location.host() != nil else {
      return " Its Location is no URL (RFC 3986)."
    }
    let hint =
      url?.differsBySlash(from: location) == true
      ? " Only the slash at the end differs: write base paths and resources as the server has them; for the URLs of "
        + "objects there is 'trailingSlash' too." : ""
    return " Its Location is '\(location.shown)'.\(hint)"
  }

  private static let reasons: [Int: String] = [
    300: "multiple choices", 301: "moved permanently", 302: "found elsewhere", 303: "see other",
    304: "not modified", 307: "temporary redirect", 308: "permanent redirect", 400: "bad request",
    401: "not authenticated", 403: "forbidden", 404: "not found", 405: "method not allowed", 406: "not acceptable",
    408: "timeout", 409: "conflict", 410: "gone", 412: "precondition failed", 413: "content too large",
    415: "unsupported media type", 422: "unprocessable content", 429: "too many requests", 500: "internal error",
    501: "not implemented", 502: "bad gateway", 503: "unavailable", 504: "gateway timeout",
  ]
}

extension URL {
  /// True when the URLs differ only in a slash at the end of the path. Queries are not compared.
  fileprivate func differsBySlash(from other: URL) -> Bool {
    let paths = [path(percentEncoded: true), other.path(percentEncoded: true)]
    return hasSameOrigin(as: other) && (paths[0] + "/" == paths[1] || paths[1] + "/" == paths[0])
  }
}
