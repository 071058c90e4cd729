public import EntityClient

/// Something that a user wrote.
@Entity public final class Post {
  @UID @Key("id") public var uid: Int
  public var title: String
  public var body: String?
  public var author: User?
}
