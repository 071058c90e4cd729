import Foundation
import Testing

@testable import EntityGeneration

@Suite struct OutputTests {
  /// The files of `Expected` are those of the guide, too.
  @Test(arguments: [
    "Project.swift", "StudioTask.swift", "Kinds.swift", "Generated/Project+Requests.swift",
    "Generated/StudioTask+Requests.swift", "Generated/Requests.swift", "Generated/Entities.swift",
  ])
  func `the document of the guide becomes these files`(path: String) throws {
    let generation = try Source.document(documents.appending(path: "studio.yaml"))
    let file = try #require(generation.files(source: "studio.yaml").first { $0.path == "Schema/\(path)" })
    let expected = documents.appending(path: "../Expected/\(path)")
    #expect(try file.text == String(contentsOf: expected, encoding: .utf8))
  }

  @Test func `lines break where the formatter breaks them`() {
    var text = SwiftText()
    let name = String(repeating: "a", count: 60)
    text.function("func \(name)", ["a: Int", "b: \(name)"], " -> Int {", indent: 2)
    text.function("func \(name)", [], " async throws -> EntityResponse<\(name)> {", indent: 2)
    text.call("try await get", ["\"\(name)\"", "query: query", "options: .envelope(\"\(name)\")"], indent: 4)
    text.list("let query: QueryParameters = ", ["\"\(name)\": 1", "\"\(name)b\": 2"], indent: 4)
    text.accessor("static var x: String", "\"\(name)\(name)\"", indent: 2)
    #expect(
      text.text == """
          func \(name)(
            a: Int, b: \(name)
          ) -> Int {
          func \(name)() async throws -> EntityResponse<
            \(name)
          > {
            try await get(
              "\(name)", query: query,
              options: .envelope("\(name)"))
            let query: QueryParameters = [
              "\(name)": 1,
              "\(name)b": 2,
            ]
          static var x: String {
            "\(name)\(name)"
          }

        """)
  }

  @Test func `a comment is broken at words`() {
    var text = SwiftText()
    text.comment(String(repeating: "word ", count: 40), mark: "///", indent: 2)
    #expect(text.text.split(separator: "\n").allSatisfy { $0.count <= 120 && $0.hasPrefix("  /// word") })
  }

  @Test func `a text of a document can't hide code`() throws {
    let generation = try thing(
      """
      Thing:
        description: "a\\u202E*/ fatalError() \\u0000\\u2028let x = 1"
        properties: {id: {type: integer}, kind: {type: string, enum: ["\\u2066\\\\(x)\\""]}}
      """)
    let files = generation.files(source: "x", layout: Layout(package: "Demo"))
    for file in files where file.path.hasSuffix(".swift") {
      #expect(file.text.unicodeScalars.allSatisfy { $0.value == 10 || (32..<127).contains($0.value) }, "\(file.text)")
    }
    let kinds = try #require(files.first { $0.path.hasSuffix("Kinds.swift") }).text
    #expect(kinds.contains(#"case x = "\u{2066}\\(x)\"""#), "\(kinds)")
  }

  @Test func `the statistics count what is open`() throws {
    let statistics = try Source.document(documents.appending(path: "studio.yaml")).statistics
    #expect(statistics.entities == 5)
    #expect(statistics.properties == 30)
    #expect(statistics.open == 3)
  }

  /// `scripts/generated` holds each document to it.
  @Test(arguments: ["studio.yaml", "forum.json"])
  func `at most one property in ten is left to choose`(document: String) throws {
    let statistics = try Source.document(documents.appending(path: document)).statistics
    #expect(statistics.properties > 20)
    #expect(statistics.open * 10 <= statistics.properties)
  }
}
