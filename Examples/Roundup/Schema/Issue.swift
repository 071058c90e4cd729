import EntityClient
import Foundation

@Entity final class Issue {
  @UID @Key("id") var uid: String
  var title: String
  @Transformed(by: RoundupDate.self) var creation: Date?
  @Transformed(by: RoundupDate.self) var activity: Date?
  @Key("assignedto") var assignedTo: User?
  var priority: Priority?
  var status: Status?
  @Key("keyword") var keywords: [Keyword]  // many-to-many: a keyword has many issues
  var nosy: [User]
  @Key("superseder") var supersededBy: [Issue]
  @Relationship(inverse: \Issue.supersededBy) var supersedes: [Issue]
  var messages: [Message]
  var files: [Attachment]
  @Key("@etag") var etag: String?
}
