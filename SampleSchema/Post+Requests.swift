public import EntityClient

extension Post: RemoteEntity {
  public static var basePath: String { "posts" }
}

// Resources are relative to "posts/": "../feed" is beside it, wherever the base URL leads.
extension Post {
  /// A page of the feed: posts, and alongside their authors, comments and tags, all in one transaction.
  ///
  /// ```json
  /// {"posts": [{"id": 7, "author": 3, "tags": [1, 5]}], "users": […], "comments": […], "tags": […]}
  /// ```
  public static func feed(page: Int = 1, perPage: Int = 20) async throws -> EntityResponse<Post> {
    try await get(
      "../feed", query: ["page": page, "per_page": perPage],
      options: [.envelope("posts"), .parts(alongside), .allowing(.aboveBasePath)])
  }

  /// The whole feed, page by page.
  public static func feedPages(perPage: Int = 100) -> EntityPages<Post> {
    pages(
      "../feed", query: ["page": 1, "per_page": perPage], by: .link,
      options: [.envelope("posts"), .parts(alongside), .allowing(.aboveBasePath)])
  }

  private static var alongside: [ResponsePart] {
    [.list(User.self, at: "users"), .list(Comment.self, at: "comments"), .list(Tag.self, at: "tags")]
  }

  /// Publishes the post. Where that fails it stays an edit, to be sent again.
  public nonisolated(nonsending) func publish() async throws {
    state = .published
    try await patch(\.state)
  }

  /// Sends the list of tags.
  public nonisolated(nonsending) func saveTags() async throws {
    try await patch(\.tags)
  }

  /// Says something about the post.
  @discardableResult
  public nonisolated(nonsending) func comment(_ text: String) async throws -> EntityID<Comment>? {
    try await Comment.post(Post.resource(uid: uid, "comments")) { try $0.setJSON(["text": JSONValue(text)]) }.ids.first
  }
}
