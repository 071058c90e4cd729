import EntityMacros
import Foundation
import Testing

@testable import EntityStore

// The code of the article on relationships: uids of a type of their own, and a relationship that is the same from both sides.

struct PalID: RawRepresentable, UIDValue {
  let rawValue: Int
  static let neutralValue = PalID(rawValue: 0)
}

struct ClubID: RawRepresentable, UIDValue {
  let rawValue: String
  static let neutralValue = ClubID(rawValue: "")
}

@Entity final class Pal {
  @UID @Key("id") var uid: PalID
  var name: String
  var club: Club?
  @Relationship(inverse: \Friendship.one) var begun: [Friendship]
  @Relationship(inverse: \Friendship.other) var joined: [Friendship]

  var friends: [Pal] { begun.map(\.other) + joined.map(\.one) }

  func befriend(_ pal: Pal) throws {
    guard pal !== self, !friends.contains(where: { $0 === pal }) else { return }
    let friendship = Friendship()
    (friendship.one, friendship.other) = (self, pal)
    try entityContext?.insert(friendship)
  }
}

@Entity final class Friendship {
  var one: Pal
  var other: Pal
}

@Entity final class Club {
  @UID var code: ClubID
  @Relationship(inverse: \Pal.club) var members: [Pal]
}

@MainActor func friends(of pal: Pal, in context: EntityContext) throws -> [Pal] {
  try context.fetch(Pal.where { $0.begun.any { $0.other == pal } || $0.joined.any { $0.one == pal } })
}

@MainActor struct ModelingArticleTests {
  private func filled(_ place: Place) throws -> (TestStore, [Pal]) {
    let test = try TestStore(place, [Pal.self, Friendship.self, Club.self])
    let pals = try (1...3).map { number in
      let pal = try test.store.main.insert(Pal.self)
      (pal.uid, pal.name) = (PalID(rawValue: number), "p\(number)")
      return pal
    }
    return (test, pals)
  }

  @Test(arguments: Place.usual)
  func `a friendship is the same from both sides`(_ place: Place) throws {
    let (test, pals) = try filled(place)
    let main = test.store.main
    try pals[0].befriend(pals[1])
    try pals[1].befriend(pals[0])
    try pals[2].befriend(pals[0])
    for isSaved in [false, true] {
      if isSaved { try main.saveAtOnce() }
      #expect(pals.map { $0.friends.map(\.uid.rawValue) } == [[2, 3], [1], [1]])
      #expect(try friends(of: pals[0], in: main).map(\.name) == ["p2", "p3"])
      #expect(try main.count(Friendship.all) == 2)
    }
  }

  @Test(arguments: Place.usual)
  func `a uid may have a type of its own`(_ place: Place) async throws {
    let (test, pals) = try filled(place)
    let main = test.store.main
    let club = try main.insert(Club.self)
    club.code = ClubID(rawValue: "x")
    pals[0].club = club
    try main.saveAtOnce()
    #expect(try main.fetch(Pal.self, uid: PalID(rawValue: 2)) === pals[1])
    #expect(try main.fetch(Pal.where { $0.uid == PalID(rawValue: 2) }) == [pals[1]])
    #expect(try main.fetch(Pal.where { $0.club.code == ClubID(rawValue: "x") }) == [pals[0]])
    #expect(try main.fetch(Pal.where { $0.uid.isIn([PalID(rawValue: 3), PalID(rawValue: 9)]) }) == [pals[2]])
    #expect(try main.fetch(Pal.where { $0.uid.rawValue > 1 && $0.uid < PalID(rawValue: 3) }) == [pals[1]])
    #expect(try main.fetch(Pal.all.sorted(by: \.uid, .descending)).map(\.uid.rawValue) == [3, 2, 1])
    #expect(try await test.store.read { try $0.fetch(Pal.all.select { $0.uid }) } == pals.map(\.uid))
    try await test.store.background {
      try $0.upsert(Club.self, uid: ClubID(rawValue: "y")).members = try $0.fetch(Pal.self)
    }
    #expect(pals.map { $0.club?.code.rawValue } == ["y", "y", "y"])
  }
}

/// The list names the inverse in the first version, and the other list in the next one.
private enum ClassBefore {
  @Entity final class Course {
    @UID var number: Int
    var pupils: [Pupil]
  }

  @Entity final class Pupil {
    @UID var number: Int
    @Relationship(inverse: \ClassBefore.Course.pupils) var courses: [Course]
  }
}

private enum ClassAfter {
  @Entity final class Course {
    @UID var number: Int
    @Relationship(inverse: \ClassAfter.Pupil.courses) var pupils: [Pupil]
  }

  @Entity final class Pupil {
    @UID var number: Int
    var courses: [Course]
  }
}

private enum HelmBefore {
  @Entity final class Boat {
    @UID var number: Int
    @Relationship(inverse: \HelmBefore.Helm.boat) var helm: Helm?
  }

  @Entity final class Helm {
    @UID var number: Int
    var boat: Boat?
  }
}

private enum HelmAfter {
  @Entity final class Boat {
    @UID var number: Int
    var helm: Helm?
  }

  @Entity final class Helm {
    @UID var number: Int
    @Relationship(inverse: \HelmAfter.Boat.helm) var boat: Boat?
  }
}

/// A relationship whose other side names the inverse in the next version.
struct MovedInverseTests {
  @Test func `lists that name the inverse the other way round are refused`() async throws {
    let folder = try TemporaryFolder()
    let before: [any ManagedEntity.Type] = [ClassBefore.Course.self, ClassBefore.Pupil.self]
    let store = try EntityStore(.file(folder.file), entities: before)
    try await store.background { context in
      let course = try context.insert(ClassBefore.Course.self)
      let pupil = try context.insert(ClassBefore.Pupil.self)
      (course.number, pupil.number) = (1, 2)
      course.pupils = [pupil]
    }
    try await store.close()
    let after: [any ManagedEntity.Type] = [ClassAfter.Course.self, ClassAfter.Pupil.self]
    let error = #expect(throws: StoreError.self) { try EntityStore(.file(folder.file), entities: after) }
    #expect(error?.kind == .schemaMismatch)
    #expect(
      error?.message.contains("'Course.pupils' as a many-to-many relationship of the side that names no inverse")
        == true)
    // Nothing was lost.
    let again = try EntityStore(.file(folder.file), entities: before)
    #expect(try await again.read { try $0.fetch(ClassBefore.Pupil.self)[0].courses.map(\.number) } == [1])
  }

  @Test func `a one-to-one relationship keeps its links`() async throws {
    let folder = try TemporaryFolder()
    let store = try EntityStore(.file(folder.file), entities: [HelmBefore.Boat.self, HelmBefore.Helm.self])
    try await store.background { context in
      for number in 1...3 {
        let boat = try context.insert(HelmBefore.Boat.self)
        let helm = try context.insert(HelmBefore.Helm.self)
        (boat.number, helm.number) = (number, number + 10)
        if number != 2 { helm.boat = boat }
      }
    }
    try await store.close()
    let next = try EntityStore(.file(folder.file), entities: [HelmAfter.Boat.self, HelmAfter.Helm.self])
    #expect(try await next.read { try $0.fetch(HelmAfter.Boat.self).map { $0.helm?.number } } == [11, nil, 13])
    #expect(try await next.read { try $0.fetch(HelmAfter.Helm.self).map { $0.boat?.number } } == [1, nil, 3])
  }
}
