package import EntityMacros
package import EntityStore

/// Attributes of each common type, and relationships to its own kind and to others.
@Entity package final class Person {
  @UID @Key("id") package var uid: Int
  package var name: String
  package var email: String?
  package var age: Int
  package var score: Double?
  package var boss: Person?
  @Relationship(inverse: \Person.boss) package var reports: [Person]
  package var team: Team?
  @Relationship(inverse: \Note.person, onDelete: .cascade) package var notes: [Note]
}

/// A uid that is a text.
@Entity package final class Team {
  @UID package var uid: String
  package var title: String?
  @Relationship(inverse: \Person.team) package var members: [Person]
}

/// An entity without uid.
@Entity package final class Note {
  package var text: String = "new"
  @Indexed package var rank: Int
  package var person: Person?
}

extension Person {
  package static let world: [any ManagedEntity.Type] = [Person.self, Team.self, Note.self]
}
