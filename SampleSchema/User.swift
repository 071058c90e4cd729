public import EntityClient
public import Foundation

/// A user, with an address, posts and comments.
@Entity public final class User {
  @UID @Key("id") public var uid: Int
  public var email: String?
  @Key("first") public var firstName: String?
  @Key("last") public var lastName: String?
  public var age: Int
  public var score: Double?
  public var active: Bool
  public var createdAt: Date?
  public var bio: String?
  public var avatarURL: URL?
  public var address: Address?
  /// The posts that the user wrote; they are deleted with the user.
  @Relationship(inverse: \Post.author, onDelete: .cascade) public var posts: [Post]
  @Relationship(inverse: \Comment.author) public var comments: [Comment]
}
