import Foundation

/// The step from a page to the next one: what the pagination says, held against what a walk may do.
struct PageStep: Sendable {
  let pagination: any Pagination
  /// The URL of the page.
  let url: URL
  let number: Int
  let objectsBefore: Int?
  /// The URLs of the walk, that of the page included.
  let visited: Set<URL>
  let origins: [URL]
  /// Where the objects have their identifiers, if they do.
  let uidKey: String?
  /// Of the objects of the page before.
  let digestBefore: Int?
  /// Whether the walk deletes what no page had.
  let deletesMissing: Bool

  /// What a page means to the walk.
  struct Outcome: Sendable {
    /// Where to go on; `nil` at the end.
    var next: Result<PageToken?, any Error> = .success(nil)
    var objectCount = 0
    /// Of the objects' identity; `nil` for a page without objects.
    var digest: Int?
  }

  func outcome(_ response: HTTPResponse, _ body: ResponseValue?, _ value: ResponseValue?) -> Outcome {
    let page = ReceivedPage(
      url: url, response: response, body: body, objects: value?.array ?? value.map { [$0] } ?? [], number: number,
      objectsBefore: objectsBefore)
    var outcome = Outcome()
    (outcome.objectCount, outcome.digest) = identity(of: page.objects)
    outcome.next = Result { try next(page, outcome.digest) }
    return outcome
  }

  private func next(_ page: ReceivedPage, _ digest: Int?) throws -> PageToken? {
    // Before anything is believed about an end: a total is reached with the same page often enough.
    guard digest == nil || digest != digestBefore else {
      throw RequestError(
        .pagination, "Two pages in a row have the same objects: the server does not heed which one it is asked for.")
    }
    guard let next = try pagination.next(after: page) else { return nil }
    let url: URL
    switch next {
    case .query(let query): url = try self.url.replacingQuery(query)
    case .url(let text): url = try resolved(text, page.response)
    case .unconfirmedEnd(let reason):
      guard deletesMissing else { return nil }
      throw RequestError(.pagination, "\(reason) What is missing is not known, so nothing was deleted.")
    }
    guard !visited.contains(url) else {
      throw RequestError(.pagination, "The pages run in a circle: '\(url.shown)' was requested already.")
    }
    return PageToken(url: url)
  }

  /// The number of objects, and a hash of which ones they are: of their identifiers in order, and of the whole object
  /// where it has none. It means nothing outside of this process.
  private func identity(of objects: ResponseArray) -> (count: Int, digest: Int?) {
    var hasher = Hasher()
    var count = 0
    for object in objects {
      let source = uidKey.flatMap { object[$0] }.flatMap { $0.isNull ? nil : $0.source } ?? object.source
      source.withUnsafeBytes { hasher.combine(bytes: $0) }
      hasher.combine(source.count)
      count += 1
    }
    return (count, count == 0 ? nil : hasher.finalize())
  }

  private func resolved(_ text: String, _ response: HTTPResponse) throws -> URL {
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
