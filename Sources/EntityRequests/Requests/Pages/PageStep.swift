import Foundation

/// The step from a page to the next one: what the pagination says, held against what a walk may do.
struct PageStep: Sendable {
  let pagination: any Pagination
  /// The URL of the page.
  let url: URL
  let number: Int
  /// The URLs of the walk, that of the page included.
  let visited: Set<URL>
  let origins: [URL]

  func next(
    _ response: HTTPResponse, _ body: ResponseValue?, _ value: ResponseValue?
  ) -> Result<PageToken?, any Error> {
    Result {
      let page = ReceivedPage(
        url: url, response: response, body: body, objects: value?.array ?? value.map { [$0] } ?? [], number: number)
      guard let next = try pagination.next(after: page) else { return nil }
      let url = try resolved(next, response)
      guard !visited.contains(url) else {
        throw RequestError(.pagination, "The pages run in a circle: '\(url.shown)' was requested already.")
      }
      return PageToken(url: url)
    }
  }

  private func resolved(_ next: NextPage, _ response: HTTPResponse) throws -> URL {
    switch next {
    case .query(let query): return try url.replacingQuery(query)
    case .url(let text):
      let base = response.url ?? url
      guard let resolved = URL(string: text, relativeTo: base)?.absoluteString else {
        throw RequestError(.pagination, "The next page's URL is malformed (RFC 3986).")
      }
      let next: URL
      do {
        next = try RequestURL(absolute: resolved).url()
      } catch let error as RequestError {
        throw RequestError(.pagination, "The next page's URL can't be requested: \(error.message)")
      }
      try Self.check(next, origins)
      return next
    }
  }

  /// - Throws: ``RequestError`` of kind `pagination` for a URL of another origin.
  static func check(_ url: URL, _ origins: [URL]) throws {
    guard origins.contains(where: { url.hasSameOrigin(as: $0) }) else {
      throw RequestError(
        .pagination,
        "The next page is at another origin, '\(url.shown)'. Requests may hold secrets: allow it with `allowing:` if it is meant."
      )
    }
  }
}

extension URL {
  /// The values of the query's parameters, decoded; of parameters of one name the last.
  var queryFields: [String: String] {
    var values: [String: String] = [:]
    for field in (query(percentEncoded: true) ?? "").split(separator: "&") {
      let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      values[Self.decoded(parts[0])] = parts.count > 1 ? Self.decoded(parts[1]) : ""
    }
    return values
  }

  /// This URL with the parameters of `query` in place of those of their names; the others stay as they are written.
  func replacingQuery(_ query: QueryParameters) throws -> URL {
    let names = Set(query.items.map(\.name))
    let kept = (self.query(percentEncoded: true) ?? "").split(separator: "&").filter { field in
      !names.contains(Self.decoded(field.prefix { $0 != "=" }))
    }
    let text = absoluteString.prefix { $0 != "?" && $0 != "#" }
    let fields = kept.map(String.init) + (query.isEmpty ? [] : [query.encoded])
    guard let url = URL(string: text + (fields.isEmpty ? "" : "?" + fields.joined(separator: "&"))) else {
      throw RequestError(.pagination, "The next page's query makes no URL.")
    }
    return url
  }

  private static func decoded(_ text: Substring) -> String {
    let text = text.replacingOccurrences(of: "+", with: " ")
    return text.removingPercentEncoding ?? text
  }
}
