public import EntityClient

extension Tag: RemoteEntity {
  public static var basePath: String { "tags" }
}

extension Tag {
  /// Gets the tags that most posts have, the first of them first.
  public static func popular(limit: Int = 10) async throws -> EntityResponse<Tag> {
    try await get(query: ["sort": "-post_count", "limit": limit])
  }

  /// Gets the posts with this tag.
  public nonisolated(nonsending) func taggedPosts(page: Int = 1) async throws -> EntityResponse<Post> {
    try await Post.get(query: ["tag": uid, "page": page])
  }
}
