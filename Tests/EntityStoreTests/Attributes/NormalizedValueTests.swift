import EntityMacros
import EntityStore
import Foundation
import Testing

/// Values with several forms of which the server gives back one.
@MainActor struct NormalizedValueTests {
  private let noon = Date(timeIntervalSince1970: 1_777_593_600 + 43_200)
  private let day = Date(timeIntervalSince1970: 1_777_593_600)

  @Test(arguments: Place.usual) func `a date that is set is the day that comes back`(_ place: Place) async throws {
    let test = try TestStore(place, [Pass.self])
    let pass = try test.store.main.insert(Pass.self)
    (pass.born, pass.issued, pass.seen, pass.share) = (noon, noon, noon.addingTimeInterval(0.000_25), 150)
    #expect(pass.born == day && pass.issued == day && pass.share == 100)
    #expect(pass.seen == noon)
    try await test.store.main.save()
    let stored = try await test.store.read { try $0.fetch(Pass.self).map { [$0.born, $0.issued, $0.seen] } }
    #expect(stored == [[day, day, noon]])
    #expect(try await test.store.read { try $0.count(Pass.where { [day] in $0.born == day }) } == 1)
    // Another time of the day is the same day.
    pass.born = noon
    #expect(!test.store.main.hasChanges)
    pass.born = nil
    #expect(pass.born == nil)
  }

  @Test(arguments: Place.usual) func `loose objects, drafts and updates by query agree`(_ place: Place) async throws {
    let test = try TestStore(place, [Pass.self])
    let pass = Pass()
    pass.born = noon
    #expect(pass.born == day)
    try test.store.main.insert(pass)
    try await test.store.main.save()
    let draft = try test.store.main.edit(pass)
    draft.object.issued = noon
    #expect(draft.object.issued == day)
    try draft.save()
    let later = noon.addingTimeInterval(86_400)
    try await test.store.background { context in
      _ = try context.update(Pass.all) { $0.set(\.born, to: later) }
    }
    #expect(pass.born == day.addingTimeInterval(86_400))
  }

  @Test(arguments: Place.usual, [true, false])
  func `a value that an update by query computes has the form of one that is set`(_ place: Place, isInMain: Bool)
    async throws
  {
    let test = try TestStore(place, [Pass.self])
    try await test.store.background { [noon] context in
      let pass = try context.insert(Pass.self)
      (pass.seen, pass.share) = (noon, 80)
    }
    @Sendable func update(in context: EntityContext) throws {
      _ = try context.update(Pass.all) {
        $0.set(\.share) { $0.share + 50 }
        $0.set(\.born) { $0.seen }
      }
    }
    if isInMain {
      try update(in: test.store.main)
      try await test.store.main.save()
    } else {
      try await test.store.background { try update(in: $0) }
    }
    let pass = try #require(try test.store.main.fetch(Pass.all).first)
    #expect(pass.share == 100 && pass.born == day)
    #expect(try await test.store.read { try $0.count(Pass.where { [day] in $0.born == day && $0.share == 100 }) } == 1)
  }

  @Test(arguments: Place.usual) func `a value that cannot be sent stays as it is`(_ place: Place) throws {
    let test = try TestStore(place, [Pass.self])
    let pass = try test.store.main.insert(Pass.self)
    pass.born = Date(timeIntervalSince1970: 1e300)
    #expect(pass.born == Date(timeIntervalSince1970: 1e300))
  }
}

private enum Written: Transformers.DateFormat { static let format = "dd.MM.yyyy" }
private enum Share: Transformers.Bounded { static let bounds = 0...100 }

@Entity private final class Pass {
  @Transformed(by: DateOnly.self) var born: Date?
  @Transformed(by: Written.self) var issued: Date?
  @Transformed(by: Transformers.UnixMilliseconds.self) var seen: Date?
  @Transformed(by: Share.self) var share: Int?
}
