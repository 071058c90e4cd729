import EntityMacros
import EntityStore
import Foundation
import Testing

// The code of the article on validation.

@Entity final class Reservation {
  var name: String
  var guests: Int
  var email: String?
  var start: Date = .distantPast
  var end: Date?
  var createdAt: Date?
  var editedAt: Date?
  @Transient var isLong = false
}

extension Reservation: ValidatedEntity {
  static var validationRules: [ValidationRule<Reservation>] {
    [.length(\.name, 1...80), .range(\.guests, 1...8), .matches(\.email, /.+@.+/, "is no address")]
  }

  func validate(_ problems: inout ValidationProblems<Reservation>) {
    if let end, end < start { problems.add(\.end, "is before the start") }
  }
}

extension Reservation: SavingEntity, AwakeningEntity {
  func willSave() { editedAt = Date() }
  func awakeFromInsert() { createdAt = Date() }
  func awakeFromFetch() { isLong = name.count > 40 }
}

/// Saves, and tells the user what to mend.
@MainActor private func saveOrExplain(_ context: EntityContext) throws -> [String] {
  do {
    try context.save()
    return []
  } catch let error as StoreError where error.kind == .invalidObject {
    return error.problems.map { "\($0.property ?? "reservation") \($0.message)" }
  }
}

@MainActor struct ValidationArticleTests {
  @Test(arguments: Place.usual)
  func `the article's code works`(_ place: Place) async throws {
    let test = try TestStore(place, [Reservation.self])
    let main = test.store.main
    let reservation = try main.insert(Reservation.self)
    reservation.email = "nobody"
    #expect(
      try saveOrExplain(main) == [
        "name has a length that is not within 1...80", "guests is not within 1...8", "email is no address",
      ])
    #expect(reservation.validationProblems.count == 3)
    reservation.name = String(repeating: "a", count: 60)
    reservation.guests = 2
    reservation.email = "a@example.com"
    reservation.start = Date()
    reservation.end = .distantPast
    #expect(try saveOrExplain(main) == ["end is before the start"])
    reservation.end = nil
    #expect(try saveOrExplain(main) == [])
    #expect(reservation.createdAt != nil)
    #expect(reservation.editedAt != nil)
    #expect(try await test.store.read { try $0.fetch(Reservation.all).map(\.isLong) } == [true])
  }
}
