public import EntityClient
public import Foundation

/// A comment of a user about a post.
@Entity public final class Comment {
  @UID @Key("id") public var uid: Int
  public var text: String
  public var createdAt: Date?
  public var post: Post
  /// None when the author's account is gone: the comment stays.
  public var author: User?
}
