import EntityMacros
import EntityStore

// Versions of one entity, all named `Thing`, as they follow each other in an app's life.

@Entity final class Thing1 {
  @UID var uid: Int
  var name: String
  var note: String?

  static let entityName: String = "Thing"
}

@Entity final class Thing2 {
  @UID var uid: Int
  var name: String
  var note: String?
  var age: Int?
  @Indexed var kind: String = "it's"
  var limit: Double = -.infinity
  var part: Part2?
  @Unique var code: String?

  static let entityName: String = "Thing"
}

@Entity final class Part2 {
  var text: String?
  @Relationship(inverse: \Thing2.part) var things: [Thing2]

  static let entityName: String = "Part"
}

@Entity final class ThingIndexed {
  @UID var uid: Int
  @Indexed var name: String
  var note: String?

  static let entityName: String = "Thing"
}

@Entity final class ThingWithoutNote {
  @UID var uid: Int
  var name: String

  static let entityName: String = "Thing"
}

@Entity final class ThingRetyped {
  @UID var uid: Int
  var name: Int
  var note: String?

  static let entityName: String = "Thing"
}

@Entity final class ThingUnique {
  @UID var uid: Int
  @Unique var name: String
  var note: String?

  static let entityName: String = "Thing"
}

@Entity final class ThingOtherUID {
  var uid: Int
  @UID var name: String
  var note: String?

  static let entityName: String = "Thing"
}

@Entity final class ThingNewUnique {
  @UID var uid: Int
  var name: String
  var note: String?
  @Unique var rank: Int

  static let entityName: String = "Thing"
}

@Entity final class ThingLinked {
  @UID var uid: Int
  var name: String
  var note: String?
  var other: ThingLinked?

  static let entityName: String = "Thing"
}

@Entity final class ThingLinkedElsewhere {
  @UID var uid: Int
  var name: String
  var note: String?
  var other: Part?

  static let entityName: String = "Thing"
}

@Entity final class Part {
  var text: String?
}
