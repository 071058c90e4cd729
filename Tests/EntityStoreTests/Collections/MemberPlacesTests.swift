import TestSupport
import Testing

@testable import EntityStore

/// The places of members, as a pure function.
struct MemberPlacesTests {
  private static let step = MemberPlaces.step

  @Test func `new members stand in steps`() {
    #expect(MemberPlaces.places([nil, nil]) == [Self.step, 2 * Self.step])
    #expect(MemberPlaces.places([nil, nil], after: 5) == [5 + Self.step, 5 + 2 * Self.step])
    #expect(MemberPlaces.places([nil, nil], before: 5) == [5 - 2 * Self.step, 5 - Self.step])
    #expect(MemberPlaces.places([nil, nil], after: 0, before: 9) == [3, 6])
    #expect(MemberPlaces.places([]) == [])
  }

  @Test func `a member that stays in order keeps its place`() {
    #expect(MemberPlaces.places([10, nil, 20, 30]) == [10, 15, 20, 30])
    // The one that moved gets another place, and not the three that stay.
    #expect(MemberPlaces.places([40, 10, 20, 30]) == [10 - Self.step, 10, 20, 30])
    #expect(MemberPlaces.places([10, 50], before: 40) == [10, 25])
  }

  @Test func `a gap without a number left has no places`() {
    #expect(MemberPlaces.places([nil], after: 7, before: 8) == nil)
    #expect(MemberPlaces.places([7, nil, nil, 9]) == nil)
    #expect(MemberPlaces.places([nil], after: .max) == nil)
    #expect(MemberPlaces.places([nil], before: .min + 1) == nil)
  }

  @Test func `random members get ascending places between the bounds`() async {
    await Seeds.each(200, sanitized: 20, "places") { seed, steps in
      var random = SeededRandom(seed)
      let bounds = (random.chance(2) ? nil : Int64(-50), random.chance(2) ? nil : Int64(5_000))
      let known: [Int64?] = (0..<random.below(20)).map { _ in
        random.chance(2) ? nil : Int64(random.below(6_000)) - 500
      }
      steps = "\(known), \(bounds)"
      guard let places = MemberPlaces.places(known, after: bounds.0, before: bounds.1) else { return }
      try #require(places.count == known.count)
      try #require(zip(places, places.dropFirst()).allSatisfy { $0 < $1 })
      try #require(places.allSatisfy { $0 > bounds.0 ?? .min && $0 < bounds.1 ?? .max })
    }
  }
}
