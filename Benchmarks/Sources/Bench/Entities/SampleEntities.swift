import EntityClient
import Foundation

// Entities that have one property each which the users of the standard work lack; floor_layouts.hpp has their tables.

/// Has a uid that is a text.
@Entity final class Ticket {
  @UID @Key("id") var uid: String
  var title: String?
  var score: Int = 0
}

/// Shares a nested object with others.
@Entity final class Employee {
  @UID @Key("id") var uid: Int
  var name: String?
  var score: Int = 0
  var company: Company?
}

@Entity final class Company {
  @UID @Key("id") var uid: Int
  var name: String?
  var city: String?
}

/// Has a list.
@Entity final class Board {
  @UID @Key("id") var uid: Int
  var name: String?
  @Relationship(inverse: \Post.board) var posts: [Post]
}

@Entity final class Post {
  @UID @Key("id") var uid: Int
  var title: String?
  var score: Int = 0
  var board: Board?
}

/// Has a second unique column.
@Entity final class Member {
  @UID @Key("id") var uid: Int
  var name: String?
  var score: Int = 0
  @Unique var code: String?
}

/// Is searched for words.
@Entity final class Note {
  @UID @Key("id") var uid: Int
  var title: String?
  var body: String?
  var score: Int = 0

  static var fullTextSearch: FullTextSearch<Note>? { FullTextSearch(\.title, \.body) }
}

/// Has a link to one of its own, and one to another entity.
@Entity final class Node {
  @UID @Key("id") var uid: Int
  var parent: Node?
  var hub: Hub?
}

@Entity final class Hub {
  @UID @Key("id") var uid: Int
}

extension Ticket: RemoteEntity {
  static var basePath: String { "tickets" }
}
extension Employee: RemoteEntity {
  static var basePath: String { "employees" }
}
extension Company: RemoteEntity {
  static var basePath: String { "companies" }
}
extension Board: RemoteEntity {
  static var basePath: String { "boards" }
}
extension Post: RemoteEntity {
  static var basePath: String { "posts" }
}
extension Member: RemoteEntity {
  static var basePath: String { "members" }
}
extension Note: RemoteEntity {
  static var basePath: String { "notes" }
}
extension Node: RemoteEntity {
  static var basePath: String { "nodes" }
}
extension Hub: RemoteEntity {
  static var basePath: String { "hubs" }
}
