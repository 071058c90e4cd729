import Foundation

/// The directives of `Cache-Control` that the client heeds (RFC 9111 §5.2.2).
struct CacheControl: Equatable {
  /// The answer is not to be kept.
  var isNotStored = false
  /// How long the answer is fresh, in seconds; `nil` where the server does not say it.
  var maxAge: Double?

  init(_ headers: HTTPHeaders) {
    for field in headers.values(of: "Cache-Control") {
      for directive in field.split(separator: ",") {
        let parts = directive.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: [" ", "\t", "\""]) }
        switch parts.first?.lowercased() {
        case "no-store": isNotStored = true
        case "no-cache": maxAge = 0
        // The shortest of several, and one that can't be read, is none (§4.2.1).
        case "max-age": maxAge = min(maxAge ?? .infinity, parts.count > 1 ? Double(UInt64(parts[1]) ?? 0) : 0)
        default: break
        }
      }
    }
  }
}
