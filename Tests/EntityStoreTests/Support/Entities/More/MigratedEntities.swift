import EntityMacros
import EntityStore

// Versions of the entities of an app, as they follow each other: `Guest`, `Room` and `Perk` with each kind of relationship.

enum V1 {
  @Entity final class Guest {
    @UID @Key("id") var uid: Int
    @Indexed var fullName: String
    var nickname: String?
    @Unique var code: String?
    var age: Int32
    var room: Room?
    var perks: [Perk]
    @Relationship(inverse: \V1.Room.owner) var owned: [Room]
  }

  @Entity final class Room {
    @UID @Key("id") var uid: Int
    var label: String
    var owner: Guest?
    @Relationship(inverse: \V1.Guest.room) var guests: [Guest]
  }

  @Entity final class Perk {
    @UID var name: String
    @Relationship(inverse: \V1.Guest.perks) var guests: [Guest]
  }

  static var all: [any ManagedEntity.Type] { [Guest.self, Room.self, Perk.self] }
}

/// Other names: of an entity, of properties, of a link, and of both sides of a list.
enum V2 {
  @Entity @Renamed(from: "Guest") final class Visitor {
    @UID @Key("id") var uid: Int
    @Indexed @Renamed(from: "title", "fullName") var name: String
    var nickname: String?
    @Unique @Renamed(from: "code") var badge: String?
    var age: Int32
    @Renamed(from: "room") var place: Room?
    @Renamed(from: "perks") var extras: [Perk]
    @Relationship(inverse: \V2.Room.owner) var owned: [Room]
  }

  @Entity final class Room {
    @UID @Key("id") var uid: Int
    var label: String
    var owner: Visitor?
    @Relationship(inverse: \V2.Visitor.place) var guests: [Visitor]
  }

  @Entity final class Perk {
    @UID var name: String
    @Relationship(inverse: \V2.Visitor.extras) @Renamed(from: "guests") var visitors: [Visitor]
  }

  static var all: [any ManagedEntity.Type] { [Visitor.self, Room.self, Perk.self] }
}

/// Fewer parts: no nickname, no code, no age, no link to a room, no list, no perk.
enum V3 {
  @Entity(removed: "nickname", "code", "age", "room", "perks") final class Guest {
    @UID @Key("id") var uid: Int
    @Indexed var fullName: String
    @Relationship(inverse: \V3.Room.owner) var owned: [Room]
  }

  @Entity final class Room {
    @UID @Key("id") var uid: Int
    var label: String
    var owner: Guest?
  }

  static var all: [any ManagedEntity.Type] { [Guest.self, Room.self] }
}

/// Only other rules: all that loses nothing and leaves no choice.
enum V4 {
  @Entity final class Guest {
    @UID @Key("id") var uid: Int
    @Unique var fullName: String?
    var nickname: String = "none"
    var code: String?
    @Indexed var age: Int
    var room: Room?
    var perks: [Perk]
    @Relationship(inverse: \V4.Room.owner) var owned: [Room]
  }

  @Entity final class Room {
    @UID @Key("id") var uid: Int
    var label: String
    var owner: Guest
    @Relationship(inverse: \V4.Guest.room) var guests: [Guest]
  }

  @Entity final class Perk {
    @UID var name: String
    @Relationship(inverse: \V4.Guest.perks) var guests: [Guest]
  }

  static var all: [any ManagedEntity.Type] { [Guest.self, Room.self, Perk.self] }
}

/// The names of two properties, and of two entities, changed hands.
enum Swap1 {
  @Entity final class Left {
    @UID @Key("id") var uid: Int
    var first: String?
    var second: String?
  }

  @Entity final class Right {
    @UID @Key("id") var uid: Int
    var left: Left?
  }

  static var all: [any ManagedEntity.Type] { [Left.self, Right.self] }
}

enum Swap2 {
  @Entity @Renamed(from: "Left") final class Right {
    @UID @Key("id") var uid: Int
    @Renamed(from: "second") var first: String?
    @Renamed(from: "first") var second: String?
  }

  @Entity @Renamed(from: "Right") final class Left {
    @UID @Key("id") var uid: Int
    var left: Right?
  }

  static var all: [any ManagedEntity.Type] { [Left.self, Right.self] }
}

/// A former name that another property has now.
@Entity final class Reused2 {
  @UID @Key("id") var uid: Int
  @Renamed(from: "first") var former: String?
  var first: String?
  var second: String?

  static let entityName = "Left"
}

/// The name of a person in two parts, and a uid of another type.
enum V5 {
  @Entity final class Guest {
    @UID @Key("id") var uid: String
    var firstName: String
    var lastName: String
    var nickname: String?
    @Unique var code: String?
    var age: String
    var room: Room?
    var perks: [Perk]
    @Relationship(inverse: \V5.Room.owner) var owned: [Room]
  }

  @Entity final class Room {
    @UID @Key("id") var uid: Int
    var label: String
    var owner: Guest?
    @Relationship(inverse: \V5.Guest.room) var guests: [Guest]
  }

  @Entity final class Perk {
    @UID var name: String
    @Relationship(inverse: \V5.Guest.perks) var guests: [Guest]
  }

  static var all: [any ManagedEntity.Type] { [Guest.self, Room.self, Perk.self] }
}

/// `OtherTypes` without the nickname, and with the age under its old name.
enum BackAgain {
  @Entity(removed: "nickname", "code", "room", "perks") final class Guest {
    @UID @Key("id") var uid: Int
    @Indexed var fullName: String
    @Renamed(from: "years") var age: Int32
    @Relationship(inverse: \BackAgain.Room.owner) var owned: [Room]
  }

  @Entity final class Room {
    @UID @Key("id") var uid: Int
    var label: String
    var owner: Guest?
  }

  static var all: [any ManagedEntity.Type] { [Guest.self, Room.self] }
}

/// `V4` with a name that is required, and has no declared default.
enum V4Strict {
  @Entity final class Guest {
    @UID @Key("id") var uid: Int
    @Unique var fullName: String
    var nickname: String = "none"
    var code: String?
    @Indexed var age: Int
    var room: Room?
    var perks: [Perk]
    @Relationship(inverse: \V4Strict.Room.owner) var owned: [Room]
  }

  @Entity final class Room {
    @UID @Key("id") var uid: Int
    var label: String
    var owner: Guest
    @Relationship(inverse: \V4Strict.Guest.room) var guests: [Guest]
  }

  @Entity final class Perk {
    @UID var name: String
    @Relationship(inverse: \V4Strict.Guest.perks) var guests: [Guest]
  }
}

@Entity final class BareGuest {
  @UID @Key("id") var uid: Int

  static let entityName = "Guest"
}

@Entity(removed: "label", "owner") final class BareRoom {
  @UID @Key("id") var uid: Int

  static let entityName = "Room"
}

/// Renames a property to one that the file has besides.
@Entity final class BothNames {
  @UID @Key("id") var uid: Int
  @Renamed(from: "first") var second: String?

  static let entityName = "Left"
}

// Removed parts that come back.

/// `V3` without the code, the label and the owner too.
enum Later {
  @Entity(removed: "nickname", "code", "age", "room", "perks") final class Guest {
    @UID @Key("id") var uid: Int
    @Indexed var fullName: String
  }

  @Entity(removed: "label", "owner") final class Room {
    @UID @Key("id") var uid: Int
  }

  static var all: [any ManagedEntity.Type] { [Guest.self, Room.self] }
}

/// The nickname is another type, and the age has another name.
enum OtherTypes {
  @Entity(removed: "code", "room", "perks") final class Guest {
    @UID @Key("id") var uid: Int
    @Indexed var fullName: String
    var nickname: Int?
    @Renamed(from: "age") var years: Int32
    @Relationship(inverse: \OtherTypes.Room.owner) var owned: [Room]
  }

  @Entity final class Room {
    @UID @Key("id") var uid: Int
    var label: String
    var owner: Guest?
  }

  static var all: [any ManagedEntity.Type] { [Guest.self, Room.self] }
}

/// `V1` with an entity that steps made.
enum Ticketed {
  @Entity final class Guest {
    @UID @Key("id") var uid: Int
    @Indexed var fullName: String
    var nickname: String?
    @Unique var code: String?
    var age: Int32
    var room: Room?
    var perks: [Perk]
    @Relationship(inverse: \Ticketed.Room.owner) var owned: [Room]
  }

  @Entity final class Room {
    @UID @Key("id") var uid: Int
    var label: String
    var owner: Guest?
    var tickets: [Ticket]
    @Relationship(inverse: \Ticketed.Guest.room) var guests: [Guest]
  }

  @Entity final class Perk {
    @UID var name: String
    @Relationship(inverse: \Ticketed.Guest.perks) var guests: [Guest]
  }

  @Entity final class Ticket {
    @UID var no: Int
    var holderName: String?
    var guest: Guest?
  }

  static var all: [any ManagedEntity.Type] { [Guest.self, Room.self, Perk.self, Ticket.self] }
}
