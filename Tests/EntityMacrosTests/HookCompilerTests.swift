import Testing

/// Entities with rules and hooks, and queries that prefetch, in modules as users have them.
@Suite struct HookCompilerTests {
  @Test(arguments: [[], ["-default-isolation", "MainActor"], ["-O"]])
  func `rules and hooks compile without a warning`(_ options: [String]) async throws {
    let code = #"""
      import EntityClient
      import Foundation

      @Entity final class Reservation {
        var name: String
        var guests: Int?
        var email: String?
        var end: Date?
        var place: Place?
        var others: [Place]
        @Transient var isLong = false
      }
      @Entity final class Place: ValidatedEntity {
        var name: String
        @Relationship(inverse: \Reservation.place) var reservations: [Reservation]
        nonisolated static var validationRules: [ValidationRule<Place>] { [.notEmpty(\.name)] }
      }
      nonisolated extension Reservation: ValidatedEntity, SavingEntity, AwakeningEntity {
        static var validationRules: [ValidationRule<Reservation>] {
          [.length(\.name, 1...80), .range(\.guests, 1...8), .matches(\.email, /.+@.+/), .required(\.place)]
        }
        func validate(_ problems: inout ValidationProblems<Reservation>) {
          if end == nil { problems.add(\.end, "has no value") }
        }
        func willSave() { end = Date() }
        func awakeFromInsert() { name = "new" }
        func awakeFromFetch() { isLong = name.count > 40 }
      }
      func names(_ context: EntityContext) throws -> [String] {
        let one = try context.fetch(Reservation.all.prefetching { $0.place })
        let all = try context.fetch(Reservation.all.prefetching { ($0.place.reservations.others, $0.others) })
        return (one + all).compactMap { $0.place?.name }
      }
      """#
    guard let found = try await Compiler.check(["Reservation": code], Compiler.strict + options) else { return }
    #expect(found.isEmpty, "\(found)")
  }

  @Test func `an attribute is no path`() async throws {
    let code = """
      import EntityClient
      @Entity final class Note { var text: String }
      nonisolated func query() -> EntityQuery<Note> { Note.all.prefetching { $0.text } }
      """
    guard let found = try await Compiler.check(["Note": code], Compiler.strict) else { return }
    #expect(!found.isEmpty)
  }
}
