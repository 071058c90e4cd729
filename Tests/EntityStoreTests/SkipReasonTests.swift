import Testing

@testable import EntityStore

/// Each reason for a skipped change reads as a sentence of its own.
@Suite struct SkipReasonTests {
  @Test(arguments: [[], ["title"], ["title", "note"]])
  func eachReasonHasItsWords(properties: [String]) {
    let texts = SkippedChange.Reason.allCases.map { reason in
      SkippedChange(reason: reason, entity: "Ticket", uid: "7", id: nil, properties: properties).description
    }
    #expect(Set(texts).count == texts.count)
    #expect(texts.allSatisfy { $0.hasPrefix("Ticket 7: ") })
  }
}
