import Foundation

/// The directives of `Cache-Control` that the client heeds (RFC 9111 §5.2.2).
struct CacheControl: Equatable {
  /// True when the response must not be stored.
  var isNotStored = false
  /// How long the response is fresh, in seconds; `nil` when the server does not say so.
  var maxAge: Double?

  init(_ headers: HTTPHeaders) {
    for field in headers.values(of: "Cache-Control") {
      for directive in field.split(separator: ",") {
        let parts = directive.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: [" ", "\t", "\""]) }
        switch parts.first?.lowercased() {
        case "no-store": isNotStored = true
        case "no-cache": maxAge = 0
        // The shortest of several values counts. A value that can't be read counts as 0 (§4.2.1).
        case "max-age": maxAge = min(maxAge ?? .infinity, parts.count > 1 ? Self.seconds(parts[1]) : 0)
        default: break
        }
      }
    }
  }

  /// A number of seconds of any size; 0 for another text.
  private static func seconds(_ text: String) -> Double {
    text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? Double(text) ?? 0 : 0
  }
}
