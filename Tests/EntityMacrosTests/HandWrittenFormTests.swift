import Foundation
import SwiftParser
import SwiftSyntax
import Testing

/// SampleSchema has one entity by hand, which shows the code of the macro.
@Suite struct HandWrittenFormTests {
  @Test func `equals the expansion of the macro`() throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "SampleSchema/Address.swift")
    let byHand = try members(of: String(contentsOf: file, encoding: .utf8))
    let byMacro = members(
      of: expansion(
        of: """
          @Entity public final class Address {
            @UID @Key("id") public var uid: Int
            public var street: String?
            public var city: String?
            public var state: String?
            public var zip: String?
          }
          """))
    #expect(byHand.count == 17)
    #expect(byHand == byMacro)
  }

  /// The members of the first class in their tokens, sorted; without the words that the macro adds because it can't
  /// know the file: isolation, names that no type of the project hides, parentheses against errors that follow from
  /// others.
  private func members(of source: String) -> [String] {
    let file = Parser.parse(source: source)
    let entity = file.statements.lazy.compactMap { $0.item.as(ClassDeclSyntax.self) }.first
    let names = [
      "_EntityColumn": "Column", "_EntityDescriptor": "PropertyDescriptor", "_EntityRowReader": "RowReader",
      "_EntityRowValues": "RowValues", "_EntitySlot": "Slot", "_EntityState": "ObjectState",
    ]
    return (entity?.memberBlock.members ?? []).map { member in
      member.tokens(viewMode: .sourceAccurate).map { names[$0.text] ?? $0.text }.filter { $0 != "nonisolated" }
        .joined(separator: " ").replacing(#/{ \( (_get .*?\)) \) }/#) { "{ \($0.1) }" }
    }.sorted()
  }
}
