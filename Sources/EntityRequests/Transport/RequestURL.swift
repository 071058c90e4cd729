import EntityJSON
import Foundation

/// A URL while it is put together from base URL, base path, resource and query.
///
/// A reference is resolved by RFC 3986 §5, with one difference: the base is a folder, with or without a slash at its
/// end. A path keeps the slash at its end, and none is added. Dot segments are removed (§5.2.4) and don't lead above the
/// root. The fragment behind a `#` is dropped: it is never sent (RFC 9110 §4.2.5).
struct RequestURL: Sendable {
  /// `https`, without the colon.
  private var scheme: String
  private var authority: String
  private var path: String
  private var queries: [String] = []

  /// - Throws: ``RequestError`` of kind `invalidRequest`.
  init(absolute text: String) throws {
    guard let end = Self.schemeEnd(of: text) else {
      throw RequestError(
        .invalidRequest, "'\(Self.shown(text))' is not an absolute URL, such as https://api.example.com/.")
    }
    scheme = text[..<end].lowercased()
    let rest = Substring(text.utf8[end...].dropFirst(3))
    let authorityEnd = rest.utf8.firstIndex(where: Self.endsAuthority) ?? rest.endIndex
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

  static func isAbsolute(_ text: String) -> Bool { schemeEnd(of: text) != nil }

  /// Whether a byte ends scheme and authority (RFC 3986 §3.2).
  static func endsAuthority(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
  }

  /// The end of the scheme (RFC 3986 §3.1) at the beginning of a text, if `://` follows; `nil` for any other text.
  private static func schemeEnd(of text: String) -> String.Index? {
    let scheme = text.utf8.prefix(while: isSchemeCharacter)
    guard let first = scheme.first, isLetter(first), text.utf8[scheme.endIndex...].starts(with: "://".utf8) else {
      return nil
    }
    return scheme.endIndex
  }

  private static func isSchemeCharacter(_ byte: UInt8) -> Bool {
    isLetter(byte) || (48...57).contains(byte) || "+-.".utf8.contains(byte)
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (97...122).contains(byte | 32) }

  // MARK: Steps

  /// The URL of `reference` seen from here.
  func resolving(_ reference: String) throws -> RequestURL {
    if Self.isAbsolute(reference) { return try RequestURL(absolute: reference) }
    // Another host (RFC 3986 §4.2).
    if reference.utf8.starts(with: "//".utf8) { return try RequestURL(absolute: "\(scheme):\(reference)") }
    var url = self
    if reference.utf8.first == Self.slash {
      url.path = ""
      url.queries = []
    }
    url.append(Substring(reference))
    return url
  }

  /// The URL of the same server without a path.
  var root: RequestURL {
    var url = self
    url.path = ""
    url.queries = []
    return url
  }

  /// Whether the path of another URL is this path without the extension of its last segment: `/issues` of `/issues.json`.
  func withoutExtension(isPathOf other: RequestURL) -> Bool {
    let (own, others) = (trimmedPath, other.trimmedPath)
    guard own.utf8.starts(with: others.utf8) else { return false }
    let rest = own.utf8.dropFirst(others.utf8.count)
    return rest.first == UInt8(ascii: ".") && !rest.contains(Self.slash)
  }

  /// The same URL with the path of another one.
  func withPath(of other: RequestURL) -> RequestURL {
    var url = self
    url.path = other.path
    return url
  }

  /// Adds one segment to the path. With `asWritten`, the slash of the root does not count, because every URL with a
  /// path has it.
  mutating func appendSegment(_ text: String, _ slash: TrailingSlash) {
    let folder = trimmedPath
    let ends =
      switch slash {
      case .asWritten: !folder.isEmpty && path.utf8.last == Self.slash
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
    let shown = reference.utf8.prefix { $0 != UInt8(ascii: "#") }
    let newPath = shown.prefix { $0 != UInt8(ascii: "?") }
    let newQuery = shown[newPath.endIndex...].dropFirst()
    if !newQuery.isEmpty { queries.append(PercentEncoding.query(Substring(newQuery))) }
    guard let first = newPath.first else { return }
    path = (first == Self.slash ? "" : trimmedPath + "/") + PercentEncoding.path(Substring(newPath))
  }

  private var trimmedPath: String {
    var bytes = path.utf8[...]
    while bytes.last == Self.slash { bytes.removeLast() }
    return String(Substring(bytes))
  }

  private static let slash = UInt8(ascii: "/")

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
    // A path without a dot has no such segment.
    guard path.utf8.contains(UInt8(ascii: ".")) else { return path }
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

  /// The URL for messages, without user info and query, which may hold secrets. A password with a `/`, `?` or `#` in it
  /// can't be told from a host, so only the scheme is shown when there may be such a password.
  private static func shown(_ text: String) -> String {
    let bytes = Array(text.utf8)
    let start = schemeEnd(of: text).map { text.utf8.distance(from: text.startIndex, to: $0) + 3 } ?? 0
    let authority = bytes[start...].prefix { !endsAuthority($0) }
    let rest = bytes[authority.endIndex...]
    let at = UInt8(ascii: "@")
    let host = authority.lastIndex(of: at).map { authority[($0 + 1)...] } ?? authority
    let scheme = String(decoding: bytes[..<start], as: UTF8.self)
    guard !rest.contains(at), hasPort(host) else { return "\(scheme)…" }
    let path = rest.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
    return (scheme + String(decoding: host + path, as: UTF8.self)).prefix(200).escaped
  }

  /// False when the first colon of a host is followed by something other than a port. A host in brackets, an address of
  /// IPv6, is not looked at.
  private static func hasPort(_ host: ArraySlice<UInt8>) -> Bool {
    guard host.first != UInt8(ascii: "["), let colon = host.firstIndex(of: UInt8(ascii: ":")) else { return true }
    return host[(colon + 1)...].allSatisfy { (48...57).contains($0) }
  }
}
