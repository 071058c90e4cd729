import EntityClient
import Foundation

@Entity final class Message {
  @UID @Key("id") var uid: String
  var content: String
  var author: User?
  @Transformed(by: RoundupDate.self) var creation: Date?
  @Relationship(inverse: \Issue.messages) var issues: [Issue]
  @Key("@etag") var etag: String?
}
