import Foundation

/// Checks that a resource of the caller leads where a resource is meant to lead.
struct ResourceCheck {
  /// The URL of the collection, or the base URL for a request about no entity.
  let home: URL
  /// The URL that relative resources are below; `nil` for `home`.
  var folder: URL?
  /// Whether the URL is that of one object, though it may be a place that has all: `users?id=eq.7`.
  var isObject: () -> Bool = { false }
  /// The origins of the entity and of the client.
  let origins: [URL]
  let allowed: ResourceAllowance

  /// - Parameters:
  ///   - resource: The resource as the caller named it; `nil` without one.
  ///   - url: The URL that it was resolved to.
  ///   - method: The method of the request.
  /// - Throws: ``RequestError`` of kind `unsafeResource`.
  func check(_ resource: String?, _ url: URL, _ method: HTTPMethod) throws {
    guard origins.contains(where: { url.hasSameOrigin(as: $0) }) else {
      return try require(.otherOrigins, "'.otherOrigins'", "leads to another origin, '\(url.shown)'")
    }
    // The paths of different origins are not compared.
    guard url.hasSameOrigin(as: home) else { return }
    let (place, base) = (Self.segments(url), Self.segments(folder ?? home))
    let collection = folder == nil ? base : Self.segments(home)
    let changes = [.delete, .put, .patch].contains(method)
    let isAbove = place.count < base.count && base.starts(with: place)
    let isOutside = !place.starts(with: base) && place != collection
    if resource.map(Self.isRelative) == true && isOutside || changes && isAbove {
      return try require(.aboveBasePath, "'.aboveBasePath'", "leads above the base path, to '\(url.shown)'")
    }
    // A PUT or PATCH without a resource means the collection.
    let isAll = place == base || place == collection || resource == ""
    if isAll, method == .delete || changes && resource != nil, !isObject() {
      try require(
        .collection, "'.collection'",
        place == base ? "leads to the whole collection, '\(url.shown)'" : "is an empty text")
    }
  }

  private func require(_ allowance: ResourceAllowance, _ name: String, _ reason: String) throws {
    guard !allowed.contains(allowance) else { return }
    throw RequestError(
      .unsafeResource,
      "The resource \(reason). Name the object by its uid, `uid:`, or encode a text with `String(pathSegment:)`; if the "
        + "resource is meant, allow it with \(name).")
  }

  /// True when the path is relative to the base path.
  private static func isRelative(_ resource: String) -> Bool {
    resource.utf8.first != UInt8(ascii: "/") && !RequestURL.isAbsolute(resource)
  }

  /// The segments of a path, as a server may see them: percent-decoded, with encoded dot segments resolved (RFC 3986
  /// §6.2.2.2), and without empty segments.
  private static func segments(_ url: URL) -> [String] {
    var segments: [String] = []
    for part in url.path(percentEncoded: true).split(separator: "/") {
      for piece in PercentEncoding.decoded(part).piecesOfSegment {
        switch piece {
        case "", ".": break
        case "..": segments = segments.dropLast()
        default: segments.append(String(piece))
        }
      }
    }
    return segments
  }
}
