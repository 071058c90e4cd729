#if canImport(FoundationNetworking)
  import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

extension URLRequest {
  /// Sets header fields; each name loses the values it had.
  ///
  /// - Throws: ``RequestError`` of kind `invalidRequest` for a name that is not a token, and a value with a line break or
  ///   another control character (RFC 9110 §5). The request is then unchanged.
  public mutating func setHeaders(_ headers: HTTPHeaders) throws {
    try HeaderField.check(headers)
    var request = self
    for (name, _) in headers { request.setValue(nil, forHTTPHeaderField: name) }
    try request.addHeaders(headers)
    self = request
  }

  /// Adds header fields to those that are there; values of one name are joined by a comma (RFC 9110 §5.3).
  ///
  /// - Throws: As ``setHeaders(_:)``.
  public mutating func addHeaders(_ headers: HTTPHeaders) throws {
    try HeaderField.check(headers)
    var request = self
    for (name, field) in headers {
      // Blanks around a value are not part of it (RFC 9110 §5.5).
      let value = field.trimming { $0 == 0x20 || $0 == 0x09 }
      request.addValue(value, forHTTPHeaderField: name)
      // Foundation drops some values without an error.
      guard request.value(forHTTPHeaderField: name)?.hasSuffix(value) == true else {
        throw RequestError(.invalidRequest, "Foundation refuses the value of the header '\(name)'.")
      }
    }
    self = request
  }
}

extension HTTPHeaders {
  /// The header fields of a request of Foundation, sorted by name.
  package init(_ request: URLRequest) {
    self.init()
    for (name, value) in (request.allHTTPHeaderFields ?? [:]).sorted(by: { $0.key < $1.key }) { add(value, to: name) }
  }
}
