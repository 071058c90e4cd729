import EntityClient
import SampleSchema

/// The reading of what the offline app works with.
@MainActor public enum OfflineSync {
  /// Takes all users in, and two posts with their comments.
  ///
  /// - Returns: The rows that differed from the server's.
  @discardableResult
  public static func run() async throws -> Int {
    let users = try await User.get(options: .deleteMissing(in: User.all)).counts
    let feed = try await Post.feed(perPage: 2).counts
    return users.rowsWritten + users.deleted + feed.rowsWritten
  }

  /// Reads everything anew, and compares it with the store.
  ///
  /// - Throws: ``OfflineError`` where the store and the server differ, where something is pending, and where an object was
  ///   created twice.
  public static func check() async throws {
    let store = try Client.current.store
    let pending = try await store.pending.count()
    guard pending == 0 else { throw OfflineError.differs("\(pending) changes are pending still.") }
    let written = try await run()
    guard written == 0 else { throw OfflineError.differs("\(written) rows differ from those of the server.") }
    let users = try await User.get(query: ["email": OfflineApp.newAddress]).ids.count
    guard users == 1 else { throw OfflineError.differs("The server has \(users) users of the new address.") }
    for post in try store.main.fetch(Post.all) {
      let count = try await Comment.comments(on: post).ids.count
      guard count == post.comments.count else {
        throw OfflineError.differs("Post \(post.uid) has \(count) comments there, and \(post.comments.count) here.")
      }
    }
  }
}
