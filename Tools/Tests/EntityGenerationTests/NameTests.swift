import Foundation
import Testing

@testable import EntityGeneration

@Suite struct NameTests {
  @Test(arguments: [
    ("created_at", "createdAt"), ("HTMLUrl", "htmlURL"), ("user_ids", "userIDs"), ("X-Request-Id", "xRequestID"),
    ("+1", "plus1"), ("-1", "minus1"), ("GMT+1", "gmtPlus1"), ("GMT-5", "gmtMinus5"), ("2fa", "n2fa"), ("", ""),
    ("avatar[url]", "avatarURL"), ("_hidden", "hidden"),
  ])
  func `a name becomes Swift's`(name: String, swift: String) {
    #expect(Words.lowerCamel(name) == swift)
  }

  @Test func `members of entities, words of Swift and equal names give way`() throws {
    let generation = try thing(
      """
      Thing:
        properties:
          id: {type: integer}
          class: {type: string}
          isDeleted: {type: boolean}
          init: {type: string}
          uid: {type: string}
          first_name: {type: string}
          firstName: {type: string}
          "a.b": {type: string}
          "": {type: string}
          "+": {type: string}
      """)
    #expect(
      try generation.lines("Thing").dropFirst() == [
        "var `class`: String?", "@Key(\"isDeleted\") var isDeletedValue: Bool?",
        "@Key(\"init\") var initValue: String?",
        "@Key(\"uid\") var uidValue: String?", "var firstName: String?",
        "@Key(\"firstName\") var firstNameValue: String?",
        "@Key(\"a\\\\.b\") var aB: String?", "@Key(\"+\") var unnamed: String?",
      ])
  }

  @Test func `a type whose name is taken gets the name of the API in front`() throws {
    let generation = try thing(
      """
      Thing: {properties: {id: {type: integer}, task: {$ref: '#/components/schemas/Task'}, page: {$ref: '#/components/schemas/Page'}}}
      Task: {properties: {id: {type: integer}}}
      Page: {properties: {n: {type: integer}}}
      """)
    #expect(generation.model.entities.map(\.name) == ["StudioTask", "Thing"])
    #expect(generation.model.structs.map(\.name) == ["StudioPage"])
  }

  @Test func `cases have names of their own, and raw values where these differ`() {
    let cases = SchemaBuilder.cases(["open", "in-review", "A", "a", "", "none", "ж"])
    #expect(cases.map(\.name) == ["open", "inReview", "a", "a2", "empty", "noneValue", "other"])
    #expect(cases.map(\.rawValue) == ["open", "in-review", "A", "a", "", "none", "ж"])
  }

  @Test func `most keys decide the style`() throws {
    let camel = try thing(
      "Thing: {properties: {id: {type: integer}, createdAt: {type: string}, fullName: {type: string}}}")
    #expect(camel.model.keyStyle == "asWritten")
    #expect(try camel.lines("Thing").dropFirst() == ["var createdAt: String?", "var fullName: String?"])
  }

  @Test func `a literal holds any text`() {
    #expect(SwiftText.literal("a\"\\(b)\n\u{0}\u{2028}é") == "\"a\\\"\\\\(b)\\n\\u{0}\\u{2028}é\"")
  }

  /// The lists of what is public in the library, so that a new type there is not forgotten here.
  @Test func `the names of the library are reserved`() throws {
    let api = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../docs/api")
    for module in ["EntityJSON", "EntityStore", "EntityRequests", "EntityOutbox"] {
      let lines = try String(contentsOf: api.appending(path: "\(module).txt"), encoding: .utf8).split(separator: "\n")
      let types = lines.compactMap { line -> String? in
        guard let colon = line.firstIndex(of: ":"),
          line[colon...].contains(/^: (@[A-Za-z]+ |final )*(struct|class|enum|protocol|typealias)\b/)
        else { return nil }
        return line[..<colon].contains(".") ? nil : String(line[..<colon])
      }
      #expect(types.count > 5)
      // A name of several words that no API has is not worth a line: only those of one word are certain to clash.
      let plain = types.filter { Words.split($0).count == 1 && !$0.hasPrefix("_") }
      #expect(plain.filter { !TypeNames.reserved.contains($0) } == [], "\(module)")
    }
  }
}
