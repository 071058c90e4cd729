import HTTPFoundation

extension URLRequest {
  /// A request for JSON with default headers.
  ///
  /// - Parameter defaults: The headers, the nearest last.
  /// - Throws: ``RequestError`` of kind `invalidRequest` for a header that can't be sent.
  init(_ method: HTTPMethod, _ url: URL, defaults: [HTTPHeaders]) throws {
    self.init(url: url)
    // GET is Foundation's own default. Setting the method compares it with six methods.
    if method != .get { httpMethod = method.rawValue }
    allHTTPHeaderFields = ["Accept": "application/json"]
    for headers in defaults where headers.count > 0 { try setHeaders(headers) }
  }

  /// Lets the caller change the request. Then removes the default headers that must not go to the new URL, and a
  /// default `Content-Type` from a request without a body.
  ///
  /// At another origin no field has a default of the old origin. If the caller added to a default, only the added part
  /// stays. A field that holds the default in any other way is removed. A value that the caller made without the
  /// default stays.
  ///
  /// - Parameter defaults: The headers that a request to a URL gets, the nearest last.
  mutating func change(_ modify: (inout URLRequest) throws -> Void, defaults: (URL) -> [HTTPHeaders]) throws {
    let (old, fields, contentType) = (url, allHTTPHeaderFields, value(forHTTPHeaderField: "Content-Type"))
    try modify(&self)
    guard let url else { throw RequestError(.invalidRequest, "The request has no URL any more.") }
    leaveOutContentType(contentType)
    guard let old, !url.hasSameOrigin(as: old) else { return }
    var before = URLRequest(url: old)
    before.allHTTPHeaderFields = fields
    var allowed = URLRequest(url: url)
    for headers in defaults(url) { try allowed.setHeaders(headers) }
    for (name, _) in defaults(old).joined() where !["accept", "content-type"].contains(name.lowercased()) {
      guard let value = before.value(forHTTPHeaderField: name), !value.isEmpty,
        let changed = self.value(forHTTPHeaderField: name), changed.holds(value, of: name)
      else { continue }
      let added = changed.hasPrefix(value + ",") ? changed.dropFirst(value.count + 1) : ""
      let kept = [allowed.value(forHTTPHeaderField: name) ?? "", added.holds(value, of: name) ? "" : String(added)]
        .filter { !$0.isEmpty }
      setValue(kept.isEmpty ? nil : kept.joined(separator: ","), forHTTPHeaderField: name)
    }
  }

  /// Removes a default `Content-Type` from a request without a body. Some servers refuse such a request, because its
  /// body is not JSON.
  ///
  /// - Parameter value: The default; a value of the caller's own stays.
  mutating func leaveOutContentType(_ value: String?) {
    guard let value, httpBody == nil, httpBodyStream == nil, self.value(forHTTPHeaderField: "Content-Type") == value
    else { return }
    setValue(nil, forHTTPHeaderField: "Content-Type")
  }

  /// The method of the request, if it has a valid one; else `other`.
  func method(or other: HTTPMethod) -> HTTPMethod { httpMethod.flatMap(HTTPMethod.init) ?? other }
}

extension StringProtocol {
  /// True when the value of a field has another one as a whole word: `1` stands in `1, 2` and in `a=1`, and not in `10`.
  /// A value that may be a secret counts wherever it stands: a field with such a name, or a long value.
  fileprivate func holds(_ word: String, of name: String) -> Bool {
    if word.count >= 8 || URLRequest.isCredential(name) { return contains(word) }
    func isInWord(_ character: Character?) -> Bool { character.map { $0.isLetter || $0.isNumber } ?? false }
    return ranges(of: word).contains { range in
      let before = range.lowerBound > startIndex ? self[index(before: range.lowerBound)] : nil
      let after = range.upperBound < endIndex ? self[range.upperBound] : nil
      return !(isInWord(before) && isInWord(word.first)) && !(isInWord(after) && isInWord(word.last))
    }
  }
}
