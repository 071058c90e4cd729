public import EntityClient
public import Foundation

/// Something that a user wrote.
@Entity public final class Post {
  @UID @Key("id") public var uid: Int
  public var title: String
  public var body: String?
  public var state: PostState = .draft
  public var publishedAt: Date?
  public var author: User?
  /// They are deleted with the post.
  @Relationship(inverse: \Comment.post, onDelete: .cascade) public var comments: [Comment]
  public var tags: [Tag]
}

public enum PostState: String, AttributeValue, Sendable { case draft, published, archived }
