import EntityClient
import Foundation

/// A piece of work.
@Entity final class StudioTask {  // `Task` in the document; that name is taken
  @UID @Key("id") var uid: Int
  var title: String
  var state: TaskState?
  @Key("project_id") var project: Project?
  var notes: String?
  var createdAt: Date?
  @Transformed(by: DateOnly.self) var dueOn: Date?
  // choose: a number as a text. `Decimal` reads it, too, and is compared as a number.
  var estimate: String?
  // choose: is it a link? `@Key("author_id") var author: User?` makes it one.
  var authorID: Int?
  var assignee: User?
  var tags: [Tag]
  var place: Place?
  var custom: JSONObject
  var htmlURL: URL?
  // choose: one of 2 kinds of values, by "kind".
  var attachment: JSONValue?
}
