import Foundation

/// The origins that the pages of a walk, and the URLs of uploads, may have.
struct PageOrigins: Sendable {
  /// The collection, and the URLs that the caller has allowed.
  var urls: [URL] = []
  /// Whether the caller has allowed all origins.
  var takesAll = false

  /// The URL that a page names, if it may be requested.
  ///
  /// - Parameter page: The URL of the page.
  /// - Throws: ``RequestError`` of kind `pagination`.
  func resolved(_ text: String, from page: URL) throws -> URL {
    guard let resolved = URL(string: text, relativeTo: page)?.absoluteString else {
      throw RequestError(.pagination, "The next page's URL is malformed (RFC 3986).")
    }
    var next: URL
    do {
      next = try RequestURL(absolute: resolved).url()
    } catch let error as RequestError {
      throw RequestError(.pagination, "The next page's URL can't be requested: \(error.message)")
    }
    next = secured(next)
    try check(next)
    return next
  }

  /// The URL, with https in place of http where the collection has https at that host. A server behind a proxy that ends
  /// TLS does not know that its clients use https. The port must be the standard one, or that of the collection.
  func secured(_ url: URL) -> URL {
    guard url.scheme?.lowercased() == "http", !urls.contains(where: { url.hasSameOrigin(as: $0) }) else { return url }
    let isKnown = urls.contains { known in
      let isStandard = [nil, 80].contains(url.port) && [nil, 443].contains(known.port)
      return known.scheme?.lowercased() == "https" && known.sentHost == url.sentHost
        && (isStandard || url.port != nil && url.port == known.port)
    }
    guard isKnown, var parts = URLComponents(url: url, resolvingAgainstBaseURL: true) else { return url }
    parts.scheme = "https"
    if parts.port == 80 { parts.port = nil }
    return parts.url ?? url
  }

  /// - Throws: ``RequestError`` of kind `pagination` for a URL of another origin.
  func check(_ url: URL) throws {
    guard !urls.contains(where: { url.hasSameOrigin(as: $0) }) else { return }
    let losesTLS = url.scheme?.lowercased() == "http" && urls.first?.scheme?.lowercased() == "https"
    guard takesAll, !losesTLS else {
      throw RequestError(
        .pagination,
        "The next page is at another origin, '\(url.shown)'\(losesTLS ? ", without TLS" : ""). Requests may hold secrets: allow "
          + "it with `allowing:` if it is meant.")
    }
  }
}
