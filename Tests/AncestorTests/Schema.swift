import EntityClient
import EntityTesting
import Foundation
import Testing

// A service of short notes, which most cases share: notes with an author and tags, and contacts by themselves.

@Entity final class Note {
  @UID @Key("id") var uid: Int
  var text: String
  var createdAt: Date?
  var pinned: Bool
  var link: URL?
  @Transformed(by: Reversed.self) var motto: String?
  var author: Author?
  @Relationship(ordered: true) var tags: [Tag]
}

@Entity final class Author {
  @UID @Key("id") var uid: Int
  var name: String
  var createdAt: Date?
  @Relationship(inverse: \Note.author) var notes: [Note]
}

/// Without uid: it lives in its note.
@Entity final class Tag {
  var name: String
}

@Entity final class Contact {
  @UID @Key("id") var uid: Int
  var displayName: String?
  var phone: String?
}

@Entity final class Country {
  @UID @Key("code") var uid: String
  var name: String
}

extension Note: RemoteEntity { static var basePath: String { "notes" } }
extension Author: RemoteEntity { static var basePath: String { "authors" } }
extension Contact: RemoteEntity { static var basePath: String { "contacts" } }
extension Country: RemoteEntity { static var basePath: String { "countries" } }

enum Reversed: AttributeTransformer {
  static func value(from text: String) -> String { String(text.reversed()) }
  static func source(from value: String) -> String { String(value.reversed()) }
}

let entities: [any ManagedEntity.Type] = [Note.self, Author.self, Tag.self, Contact.self, Country.self]

extension Trait where Self == ClientTrait {
  /// A client whose store has the entities of this file.
  static var notes: Self { .client(entities: entities) }
}
