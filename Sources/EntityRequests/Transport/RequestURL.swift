import EntityJSON
package import Foundation

/// A URL while it is put together from base URL, base path, resource and query.
///
/// References are resolved as a person means them who writes a path, which is RFC 3986 §5 with one difference: the base
/// is a folder, with or without a slash at its end. The slash that a path ends with, or does not, is kept. Dot segments
/// are removed (§5.2.4) and don't lead above the root. The fragment behind a `#` is dropped: it is never sent (RFC 9110
/// §4.2.5).
struct RequestURL {
  /// `https`, without the colon.
  private var scheme: String
  private var authority: String
  private var path: String
  private var queries: [String] = []

  /// - Throws: ``RequestError`` of kind `invalidRequest`.
  init(absolute text: String) throws {
    guard let end = text.range(of: "://"), Self.isScheme(text[..<end.lowerBound]) else {
      throw RequestError(
        .invalidRequest, "'\(Self.shown(text))' is not an absolute URL, such as https://api.example.com/.")
    }
    scheme = text[..<end.lowerBound].lowercased()
    let rest = text[end.upperBound...]
    let authorityEnd = rest.firstIndex { "/?#".contains($0) } ?? rest.endIndex
    authority = String(rest[..<authorityEnd])
    path = ""
    guard scheme == "https" || scheme == "http" else {
      throw RequestError(.invalidRequest, "'\(Self.shown(text))' is neither an https nor an http URL.")
    }
    guard !authority.isEmpty else {
      throw RequestError(.invalidRequest, "'\(Self.shown(text))' names no host.")
    }
    append(rest[authorityEnd...])
  }

  static func isAbsolute(_ text: String) -> Bool {
    text.range(of: "://").map { isScheme(text[..<$0.lowerBound]) } ?? false
  }

  /// RFC 3986 §3.1.
  private static func isScheme(_ text: Substring) -> Bool {
    guard let first = text.first, first.isASCII, first.isLetter else { return false }
    return text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
  }

  // MARK: Steps

  /// The URL of `reference` seen from here.
  func resolving(_ reference: String) throws -> RequestURL {
    if Self.isAbsolute(reference) { return try RequestURL(absolute: reference) }
    // Another host (RFC 3986 §4.2).
    if reference.hasPrefix("//") { return try RequestURL(absolute: "\(scheme):\(reference)") }
    var url = self
    if reference.hasPrefix("/") {
      url.path = ""
      url.queries = []
    }
    url.append(Substring(reference))
    return url
  }

  /// Adds one segment to the path. The root has a slash because every URL with a path has one: it is not written.
  mutating func appendSegment(_ text: String, _ slash: TrailingSlash) {
    let folder = trimmedPath
    let ends =
      switch slash {
      case .asWritten: !folder.isEmpty && path.hasSuffix("/")
      case .always: true
      case .never: false
      }
    path = folder + "/" + PercentEncoding.component(text) + (ends ? "/" : "")
  }

  /// Adds parameters, which are encoded already.
  mutating func appendQuery(_ encoded: String) {
    if !encoded.isEmpty { queries.append(encoded) }
  }

  private mutating func append(_ reference: Substring) {
    let shown = reference.prefix { $0 != "#" }
    let newPath = shown.prefix { $0 != "?" }
    if shown.endIndex != newPath.endIndex {
      let query = PercentEncoding.query(shown[shown.index(after: newPath.endIndex)...])
      if !query.isEmpty { queries.append(query) }
    }
    guard !newPath.isEmpty else { return }
    path = (newPath.hasPrefix("/") ? "" : trimmedPath + "/") + PercentEncoding.path(newPath)
  }

  private var trimmedPath: String {
    var path = path[...]
    while path.hasSuffix("/") { path.removeLast() }
    return String(path)
  }

  /// - Throws: ``RequestError`` of kind `invalidRequest`.
  func url() throws -> URL {
    let query = queries.isEmpty ? "" : "?" + queries.joined(separator: "&")
    let text = "\(scheme)://\(authority)\(Self.removingDots(path))\(query)"
    guard let url = URL(string: text, encodingInvalidCharacters: false), let host = url.host(), !host.isEmpty else {
      throw RequestError(.invalidRequest, "'\(Self.shown(text))' is not a valid URL (RFC 3986).")
    }
    return url
  }

  /// RFC 3986 §5.2.4.
  private static func removingDots(_ path: String) -> String {
    guard path.contains("/.") else { return path }
    var segments: [Substring] = []
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    for (index, part) in parts.enumerated() {
      let isLast = index == parts.count - 1
      switch part {
      case ".":
        if isLast { segments.append("") }
      case "..":
        if segments.count > 1 { segments.removeLast() }
        if isLast { segments.append("") }
      default: segments.append(part)
      }
    }
    return segments.joined(separator: "/")
  }

  /// For messages: without user info and query, in which there may be secrets.
  private static func shown(_ text: String) -> String {
    var text = text.prefix { $0 != "?" && $0 != "#" }
    if let start = text.range(of: "://")?.upperBound,
      let at = text[start...].prefix(while: { $0 != "/" }).lastIndex(of: "@")
    {
      text = text[..<start] + text[text.index(after: at)...]
    }
    return text.prefix(200).escaped
  }
}

extension URL {
  /// Whether both have the same scheme, host and port (RFC 6454 §5).
  package func hasSameOrigin(as other: URL) -> Bool { origin == other.origin }

  /// Scheme, host and port.
  package var origin: [String] {
    let scheme = self.scheme?.lowercased() ?? ""
    let standard = scheme == "https" ? 443 : scheme == "http" ? 80 : nil
    return [scheme, sentHost, (port ?? standard).map(String.init) ?? ""]
  }

  /// The host as it is sent: in lower case, and an international name in the letters of DNS (RFC 5890 §2.3.2.1). An address
  /// of IPv6 has no brackets.
  package var sentHost: String {
    let host = URLComponents(url: self, resolvingAgainstBaseURL: true)?.encodedHost ?? self.host() ?? ""
    return host.trimming { $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "]") }.lowercased()
  }

  /// The URL in messages: without user info, fragment and the values of the query. A part of the query that has no `=` may be
  /// a secret too.
  package var shown: String {
    let names = (URLComponents(url: self, resolvingAgainstBaseURL: true)?.percentEncodedQueryItems ?? []).map {
      $0.value != nil ? "\($0.name)=…" : $0.name.isEmpty ? "" : "…"
    }
    let host = self.host() ?? ""
    let place = "\(scheme ?? "")://\(host.contains(":") ? "[\(host)]" : host)\(port.map { ":\($0)" } ?? "")"
    let text = place + path(percentEncoded: true) + (names.isEmpty ? "" : "?" + names.joined(separator: "&"))
    return text.count > 300 ? text.prefix(300) + "…" : text
  }
}
