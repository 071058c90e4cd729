public import HTTPFoundation

extension URLRequest {
  /// Sets header fields; each name loses the values it had.
  ///
  /// - Throws: ``RequestError`` of kind `invalidRequest` for a name that is not a token, and a value with a line break or
  ///   another control character (RFC 9110 §5). The request is then unchanged.
  public mutating func setHeaders(_ headers: HTTPHeaders) throws {
    try HeaderField.check(headers)
    let before = allHTTPHeaderFields
    for (name, _) in headers where value(forHTTPHeaderField: name) != nil { setValue(nil, forHTTPHeaderField: name) }
    try addChecked(headers, orElse: before)
  }

  /// Adds header fields to the fields of the request. Values of one name are joined by a comma (RFC 9110 §5.3).
  ///
  /// - Throws: As ``setHeaders(_:)``.
  public mutating func addHeaders(_ headers: HTTPHeaders) throws {
    try HeaderField.check(headers)
    try addChecked(headers, orElse: allHTTPHeaderFields)
  }

  /// - Parameter before: The fields that the request gets back when one can't be added.
  private mutating func addChecked(_ headers: HTTPHeaders, orElse before: [String: String]?) throws {
    for (name, field) in headers {
      // Blanks around a value are not part of it (RFC 9110 §5.5).
      let value = field.trimming { $0 == 0x20 || $0 == 0x09 }
      addValue(value, forHTTPHeaderField: name)
      // Foundation drops some values without an error.
      guard self.value(forHTTPHeaderField: name)?.hasSuffix(value) == true else {
        allHTTPHeaderFields = before
        throw RequestError(.invalidRequest, "Foundation refuses the value of the header '\(name)'.")
      }
    }
  }
}

extension HTTPHeaders {
  /// The header fields of a request of Foundation, sorted by name.
  package init(_ request: URLRequest) {
    self.init()
    for (name, value) in (request.allHTTPHeaderFields ?? [:]).sorted(by: { $0.key < $1.key }) { add(value, to: name) }
  }
}
