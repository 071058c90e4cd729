public import EntityClient

extension Comment: RemoteEntity {
  public static var basePath: String { "comments" }
  public static var requestKeys: [PartialKeyPath<Comment>: String] { [\.author: "author_id"] }

  /// The author's fields stand in the comment: `{"id": 1, "post": 7, "author_id": 3, "author_first": "Ada", …}`.
  public func update(with response: ResponseObject) throws {
    try assignDeclared(from: response)
    if response["author_id"]?.isNull == true {
      author = nil
    } else if response.contains("author_id") {
      try response.picking(["author_id": "id", "author_first": "first"]).assign(to: &author)
    }
  }
}

extension Comment {
  /// Gets the comments on a post.
  public nonisolated(nonsending) static func comments(on post: Post) async throws -> EntityResponse<Comment> {
    try await get(Post.resource(uid: post.uid, "comments"))
  }
}
