import EntityClient

@Entity final class Team {
  @UID @Key("id") var uid: Int
  var name: String
  @Relationship(inverse: \Person.team) var members: [Person]
}

extension Team: OutboxEntity {
  static var basePath: String { "teams" }
}

@Entity final class Person {
  @UID @Key("id") var uid: Int
  var name: String
  var team: Team?
}

extension Person: OutboxEntity {
  static var basePath: String { "people" }
  static var envelope: Envelope? { "people" }
}
