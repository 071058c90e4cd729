import EntityJSON

/// The characters that may stand in a header field (RFC 9110 §5).
///
/// Foundation on Linux silently drops a field with a line break in it: a token that was read with its newline would
/// vanish from the request.
package enum HeaderField {
  /// RFC 9110 §5.6.2.
  package static func isToken(_ text: String) -> Bool {
    !text.isEmpty
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"):
          true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
      }
  }

  /// Without control characters; a tab inside is allowed (RFC 9110 §5.5).
  package static func isValue(_ text: String) -> Bool {
    text.utf8.allSatisfy { $0 == 0x09 || ($0 >= 0x20 && $0 != 0x7F) }
  }

  /// - Throws: ``RequestError`` of kind `invalidRequest` that names the field, never its value.
  static func check(_ name: String, _ value: String) throws {
    guard isToken(name) else {
      throw RequestError(
        .invalidRequest, "The header name '\(name.prefix(60).escaped)' is not a token (RFC 9110 §5.6.2).")
    }
    guard isValue(value) else {
      throw RequestError(
        .invalidRequest,
        "The value of the header '\(name)' has a line break or another control character (RFC 9110 §5.5).")
    }
  }

  static func check(_ headers: HTTPHeaders) throws {
    for (name, value) in headers { try check(name, value) }
  }
}
