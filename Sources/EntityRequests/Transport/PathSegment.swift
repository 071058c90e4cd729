extension String {
  /// A text as one segment of a path, for a resource: all that means something in a URL is percent-encoded.
  ///
  /// ```swift
  /// try await User.get("named/" + String(pathSegment: name))        // "a/b#c" is named/a%2Fb%23c
  /// ```
  ///
  /// - Parameter text: The text, not encoded.
  /// - Throws: ``RequestError`` of kind `invalidRequest` for an empty text and for `.` and `..`, which no segment can hold:
  ///   encoded dot segments mean the same (RFC 3986 §6.2.2.2).
  public init(pathSegment text: String) throws {
    guard text.isPathSegment else {
      let reason = text.isEmpty ? "An empty text" : "'\(text)'"
      throw RequestError(.invalidRequest, "\(reason) can't be a segment of a path.")
    }
    self = PercentEncoding.component(text)
  }
}
