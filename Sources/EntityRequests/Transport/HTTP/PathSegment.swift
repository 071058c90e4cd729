extension String {
  /// Makes one segment of a path, for a resource, from a text: percent-encodes all that has a meaning in a URL.
  ///
  /// ```swift
  /// try await User.get("named/" + String(pathSegment: name))        // "a/b#c" is named/a%2Fb%23c
  /// ```
  ///
  /// - Parameter text: The text, not encoded.
  /// - Throws: ``RequestError`` of kind `invalidRequest` for an empty text, and for a text that is `.` or `..` or has
  ///   one of these between slashes. Encoded dot segments mean the same (RFC 3986 §6.2.2.2), and some servers decode a
  ///   path before they split it.
  public init(pathSegment text: String) throws {
    guard text.isSafeSegment else {
      let reason = text.isEmpty ? "An empty text" : "'\(text)'"
      throw RequestError(.invalidRequest, "\(reason) can't be a segment of a path.")
    }
    self = PercentEncoding.component(text)
  }

  /// The segments that a server may see in the text of one segment. Some servers decode a path before they split it,
  /// some also split at `\`, and some cut off the parameters of a segment, behind `;`, before they look for dots.
  var piecesOfSegment: [Substring] {
    utf8.split { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }.map { piece in
      Substring(piece.prefix { $0 != UInt8(ascii: ";") })
    }
  }

  /// Whether the text, encoded as one segment, leads to no other folder on any server.
  var isSafeSegment: Bool { isPathSegment && !piecesOfSegment.contains { $0 == "." || $0 == ".." } }
}
