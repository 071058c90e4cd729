import Foundation
import Testing

@testable import EntityStore

/// Each reason for a skipped change reads as a sentence of its own.
@Suite struct SkipReasonTests {
  @Test(arguments: [[], ["title"], ["title", "note"]])
  func `each reason for a skipped change has its own words`(properties: [String]) {
    let texts = SkippedChange.Reason.allCases.map { reason in
      SkippedChange(reason: reason, entity: "Ticket", uid: "7", id: nil, properties: properties).description
    }
    #expect(Set(texts).count == texts.count)
    #expect(texts.allSatisfy { $0.hasPrefix("Ticket 7: ") })
  }

  @Test func `values are short and secrets are not`() {
    func value(_ property: String, _ mine: StoredValue, _ theirs: StoredValue) -> String {
      SkippedChange.Value(property: property, base: nil, mine: .attribute(mine), theirs: .attribute(theirs)).description
    }
    #expect(value("apiToken", .text("abc"), .text("def")) == "apiToken …")
    let long = String(repeating: "a", count: 40)
    #expect(value("text", .text(long + "bb"), .blob(Data([1, 2]))) == "text here \"\(long)…\", there 2 bytes")
    #expect(value("age", .integer(4), .null) == "age here 4, there none")
  }
}
