package import EntityRequests

extension HTTPHeaders {
  /// The codings of the body that the head lists, in lower case, without those that change nothing.
  ///
  /// `identity` is one of them (RFC 9110 §12.5.3). Servers also send `none`, and the name of the charset.
  package var contentCodings: [String] {
    let values = values(of: "Content-Encoding")
    // Nearly all coded responses have this one.
    if values == ["gzip"] { return values }
    return values.flatMap { value in
      value.split(separator: ",").map { String($0).trimming { $0 == 0x20 || $0 == 0x09 }.lowercased() }
    }
    .filter { !["", "identity", "none", "utf-8", "utf8"].contains($0) }
  }
}
