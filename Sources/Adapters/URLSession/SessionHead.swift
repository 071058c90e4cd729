internal import EntityRequests
internal import HTTPFoundation

/// Status and header fields of a response.
struct SessionHead: Sendable {
  let status: Int
  let headers: HTTPHeaders
  /// The announced length of the body as it travels; `nil` when there is none, and when no body comes.
  let contentLength: Int64?
  /// Whether the body comes in a coding, which `URLSession` undoes.
  let isCoded: Bool

  /// - Throws: An error when the fields contradict each other, or name a coding that the request did not ask for.
  init(_ response: HTTPURLResponse, _ call: SessionCall) throws(Malformed) {
    status = response.statusCode
    var headers = HTTPHeaders()
    // A dictionary has no order.
    let fields = response.allHeaderFields.map { ("\($0.key)", "\($0.value)") }.sorted { $0.0 < $1.0 }
    for (name, value) in fields {
      let values = name.lowercased() == "set-cookie" ? value.splitCookies : [value]
      for value in values { headers.add(value, to: name) }
    }
    self.headers = headers
    let length = try Self.length(headers)
    // In a response without a body these fields describe the body that another response would have (RFC 9110 §6.4.1).
    let hasBody = call.method != "HEAD" && status >= 200 && status != 204 && status != 304
    contentLength = hasBody ? length : nil
    isCoded = hasBody && length != 0 && !headers.contentCodings.isEmpty
    guard hasBody else { return }
    guard !isCoded || call.takesCodings else {
      throw Malformed(message: "The body has a content coding that was not asked for")
    }
    let transfer = headers["Transfer-Encoding"].codingNames
    guard transfer.isEmpty || transfer == ["chunked"] else {
      throw Malformed(message: "The body has a transfer coding that was not asked for")
    }
  }

  /// The announced length. If lengths disagree, one of two readers is deceived about where the message ends (RFC 9112
  /// §6.3). Here several lengths are one value with commas, which is refused.
  private static func length(_ headers: HTTPHeaders) throws(Malformed) -> Int64? {
    // The blanks around a value do not belong to it (RFC 9110 §5.5); Foundation leaves those after it.
    guard let value = headers["Content-Length"]?.trimmingCharacters(in: [" ", "\t"]) else { return nil }
    guard !value.isEmpty, value.utf8.allSatisfy({ (48...57).contains($0) }), let length = Int64(value) else {
      throw Malformed(message: "Content-Length is not one number of at most 63 bits")
    }
    return length
  }

  struct Malformed: Error { let message: String }
}

extension String? {
  /// The names of a list of codings, in lower case, without those that change nothing.
  fileprivate var codingNames: [String] {
    (self ?? "").split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces).lowercased() }
      .filter { $0 != "identity" && $0 != "" }
  }
}

extension String {
  /// The cookies that Foundation has put into one value, with commas between them.
  ///
  /// Neither name nor value of a cookie has a comma (RFC 6265 §4.1.1), so a comma before `name=` begins the next
  /// cookie. A comma in a date does not.
  fileprivate var splitCookies: [String] {
    var cookies: [String] = []
    for part in components(separatedBy: ", ") {
      let name = part.prefix { $0 != "=" && $0 != ";" }
      if !cookies.isEmpty,
        name.count == part.count || part.dropFirst(name.count).first == ";"
          || !HeaderField.isToken(String(name))
      {
        cookies[cookies.count - 1] += ", " + part
      } else {
        cookies.append(part)
      }
    }
    return cookies
  }
}
