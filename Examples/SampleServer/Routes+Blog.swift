import FlyingFox
import Foundation

// Posts, comments, tags, and the feed that has them all.

extension Routes {
  func answerBlog(_ path: [Substring], _ request: HTTPRequest, body: Data) throws(ServerError) -> HTTPResponse {
    switch (path[0], path.count) {
    case ("feed", 1):
      try Self.expectGet(request)
      return try feed(request)
    case ("tags", 1):
      try Self.expectGet(request)
      return try tags(request)
    case ("posts", 1):
      try Self.expectGet(request)
      return try posts(request)
    case ("posts", 2): return try answerPost(Self.id(path[1]), request, body: body)
    case ("posts", 3) where path[2] == "comments":
      return try answerComments(Self.id(path[1]), request, body: body)
    default: throw .unknownPath
    }
  }

  private func posts(_ request: HTTPRequest) throws(ServerError) -> HTTPResponse {
    let (blog, users) = backend.blog
    let page = try page(request)
    let (ids, total) = blog.posts(page, tag: Self.parameter("tag", request).flatMap { Int($0) })
    return paged(Self.list(ids) { blog.append(post: $0, users, to: &$1) }, page, total, "posts", request)
  }

  /// A page of posts, and beside them all that they refer to.
  private func feed(_ request: HTTPRequest) throws(ServerError) -> HTTPResponse {
    let (blog, users) = backend.blog
    let page = try page(request)
    let (ids, total) = blog.posts(page, tag: nil)
    let comments = ids.flatMap { blog.comments(of: $0) }
    let people = (ids.compactMap { blog.author(of: $0, users) } + comments.compactMap(\.author)).uniqued
    var json = JSONBytes()
    json.append(#"{"posts":"#)
    json.append(Self.list(ids) { blog.append(post: $0, users, to: &$1) })
    json.append(#","comments":"#)
    json.append(Self.list(comments) { blog.append($0, users, to: &$1) })
    json.append(#","tags":"#)
    let tags = ids.flatMap { blog.tags(of: $0) }.uniqued.filter { BlogData.isTag($0) }
    json.append(Self.list(tags) { blog.append(tag: $0, count: nil, to: &$1) })
    json.append(#","users":"#)
    json.append(Self.list(people.compactMap { users.user($0) }) { $1.append($0) })
    json.append("}")
    return paged(json.bytes, page, total, "feed", request)
  }

  private func tags(_ request: HTTPRequest) throws(ServerError) -> HTTPResponse {
    let (blog, _) = backend.blog
    let counts = blog.tagCounts
    var ids = counts.keys.sorted()
    if Self.parameter("sort", request) == "-post_count" {
      ids.sort { (counts[$0] ?? 0, $1) > (counts[$1] ?? 0, $0) }
    }
    let limit = try Page.positive(Self.parameter("limit", request), named: "limit") ?? ids.count
    return HTTPResponse(json: Self.list(ids.prefix(limit)) { blog.append(tag: $0, count: counts[$0], to: &$1) })
  }

  private func answerPost(_ id: Int, _ request: HTTPRequest, body: Data) throws(ServerError) -> HTTPResponse {
    guard backend.blog.blog.contains(id) else { throw .unknownPath }
    if request.method == .PATCH {
      let attributes = try Self.attributes(request, body)
      try change { data in try data.blog.update(id, with: attributes, data.users) }
    } else if !Self.isGet(request) {
      throw .notAllowed(request.method.rawValue, allowed: "GET, HEAD, PATCH")
    }
    let (blog, users) = backend.blog
    var json = JSONBytes()
    blog.append(post: id, users, to: &json)
    return HTTPResponse(json: json.bytes)
  }

  private func answerComments(_ id: Int, _ request: HTTPRequest, body: Data) throws(ServerError) -> HTTPResponse {
    let (blog, users) = backend.blog
    guard blog.contains(id) else { throw .unknownPath }
    if Self.isGet(request) {
      return HTTPResponse(json: Self.list(blog.comments(of: id)) { blog.append($0, users, to: &$1) })
    }
    guard request.method == .POST else { throw .notAllowed(request.method.rawValue, allowed: "GET, HEAD, POST") }
    let attributes = try Self.attributes(request, body)
    guard case .string = attributes["text"], let text = try? attributes["text"]?.json() else {
      throw ServerError(status: .badRequest, code: "invalid_body", message: "A comment has a text.")
    }
    let author: Int? = if case .int(let author) = attributes["author_id"] { author } else { nil }
    let comment = try change { $0.blog.say(text, on: id, author: author) }
    var json = JSONBytes()
    blog.append(comment, users, to: &json)
    return HTTPResponse(json: json.bytes, status: .created)
  }

  /// The comments of a user.
  func comments(by user: Int, _ request: HTTPRequest) throws(ServerError) -> HTTPResponse {
    try Self.expectGet(request)
    let (blog, users) = backend.blog
    guard users.contains(user) else { throw .unknownUser(user) }
    let page = try page(request)
    let all = blog.comments(by: user)
    let some = all.dropFirst(page.offset).prefix(page.size)
    return paged(
      Self.list(some) { blog.append($0, users, to: &$1) }, page, all.count, "users/\(user)/comments", request)
  }

  // MARK: Parts

  /// The page that a query asks for; these lists have no answer that is all of them.
  private func page(_ request: HTTPRequest) throws(ServerError) -> Page {
    let page = try Page(
      page: Self.parameter("page", request) ?? "1", perPage: Self.parameter("per_page", request),
      defaultSize: backend.pageSize)
    guard let page else { throw .unknownPath }
    return page
  }

  private func paged(
    _ json: [UInt8], _ page: Page, _ total: Int, _ path: String, _ request: HTTPRequest
  ) -> HTTPResponse {
    var response = HTTPResponse(json: json)
    response.headers[HTTPHeader("Link")] = page.link(base: Self.base(of: request, path), total: total)
    response.headers[HTTPHeader("X-Total-Count")] = String(total)
    return response
  }

  private static func list<Element>(
    _ elements: some Sequence<Element>, _ append: (Element, inout JSONBytes) -> Void
  ) -> [UInt8] {
    var json = JSONBytes()
    json.append("[")
    for (place, element) in elements.enumerated() {
      if place > 0 { json.append(",") }
      append(element, &json)
    }
    json.append("]")
    return json.bytes
  }

  private static func expectGet(_ request: HTTPRequest) throws(ServerError) {
    guard isGet(request) else { throw .notAllowed(request.method.rawValue, allowed: "GET, HEAD") }
  }
}
