import EntityMacros
import EntityStore

@Entity final class Person {
  @UID @Key("id") var uid: Int
  var name: String
  var email: String?
  var age: Int
  var score: Double?
  var boss: Person?
  @Relationship(inverse: \Person.boss) var reports: [Person]
  var team: Team?
  @Relationship(inverse: \Note.person, onDelete: .cascade) var notes: [Note]
}

@Entity final class Team {
  @UID var uid: String
  var title: String?
  @Relationship(inverse: \Person.team) var members: [Person]
}

/// An entity without uid.
@Entity final class Note {
  var text: String = "new"
  @Indexed var rank: Int
  var person: Person?
}
