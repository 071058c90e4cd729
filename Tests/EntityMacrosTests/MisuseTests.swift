import Foundation
import Testing

/// Misuses that only the compiler sees, or reports.
@Suite struct MisuseTests {
  @Test func `each misuse is one error`() async throws {
    var files = Self.misuses.mapValues { "import EntityClient\n" + $0.code }
    files["Shared"] = """
      import EntityClient
      @Entity final class Target: Hashable {
        static func == (one: Target, other: Target) -> Bool { one === other }
        func hash(into hasher: inout Hasher) {}
        var name: String
        var owner: UnknownInverse?
        var other: Other?
        var sets: Sets?
        var ruler: SwiftDatas?
        var peers: [Target]
      }
      @Entity final class Other {
        var target: InverseOfAnother?
      }
      """
    guard let found = try await Compiler.check(files) else { return }
    let lines = found.map { $0.description.replacing(#/ \(from macro '(\w+) *'\)/#) { " (from macro '\($0.1)')" } }
    let expected = Self.misuses.values.flatMap(\.errors)
    #expect(lines.sorted() == expected.sorted())
  }

  /// The expansion has to name the type too, where the compiler repeats itself, and says no more.
  @Test func `an unknown type is reported where it is written`() async throws {
    let code = #"""
      import EntityClient
      @Entity final class User {
        var one: Nowhere?
        var every: [Nowhere]
        @Relationship(inverse: \Nobody.user) var others: [Nobody]
        @Relationship(inverse: \Tag.nowhere) var tags: [Tag]
      }
      @Entity final class Tag {
        var user: User
      }
      """#
    guard let found = try await Compiler.check(["User": code]) else { return }
    #expect(
      Set(found.map(\.description)).sorted() == [
        "User:3: cannot find type 'Nowhere' in scope",
        "User:4: cannot find type 'Nowhere' in scope",
        "User:5: cannot find 'Nobody' in scope",
        "User:5: cannot find type 'Nobody' in scope",
        "User:6: value of type 'Tag' has no member 'nowhere'",
      ])
  }

  /// A macro can't see whether a name in the inheritance clause is a class; the initialiser it writes can.
  @Test func `a superclass is refused`() async throws {
    let code = """
      import EntityClient
      class Base {}
      class Strict { init(x: Int) {} }
      class Box<T> {}
      protocol Named {}
      @Entity final class Derived: Base { var name: String }
      @Entity final class Boxed: Box<Int>, RemoteEntity { static var basePath: String { "" } }
      @Entity final class Right: Named { var name: String }
      @Entity final class Stern: Strict { var name: String }
      """
    guard let found = try await Compiler.check(["Superclasses": code]) else { return }
    let used = "'self' used in method call '_entityHasNoSuperclass' before 'super.init' call"
    #expect(
      found.map(\.description).sorted()
        == [
          "Superclasses:6: \(used)", "Superclasses:7: \(used)", "Superclasses:9: \(used)",
          "Superclasses:9: 'super.init' isn't called on all paths before returning from initializer",
        ].sorted())
  }

  /// Misuses that the compiler tells in its own words, which an article explains.
  static let compilersWords: [(error: String, code: String, options: [String])] = [
    (
      "circular reference resolving attached macro 'Relationship'",
      #"""
      @Entity final class Author { @Relationship(inverse: \Book.authors) var books: [Book] }
      @Entity final class Book { @Relationship(inverse: \Author.books) var authors: [Author] }
      """#, []
    ),
    (
      "'self' used in method call '_entityHasNoSuperclass' before 'super.init' call",
      "class Base {}\n@Entity final class Author: Base {}", []
    ),
    (
      "inheritance from a final class 'Author'",
      "@Entity final class Author {}\n@Entity final class Writer: Author {}", []
    ),
    (
      "static stored properties not supported in generic types",
      "struct Box<T> {}\nextension Box { @Entity final class Author { var name: String } }", []
    ),
    (
      "property wrapper cannot be applied to a computed property",
      "@propertyWrapper struct Clamped { var wrappedValue: Int }\n@Entity final class Author {\n  @Clamped var age: Int\n}",
      []
    ),
    (
      "type 'Coordinate' does not conform to protocol 'AttributeValue'",
      """
      struct Coordinate: Codable { var x = 0 }
      extension Coordinate: AttributeValue {}
      @Entity final class Author { var place: Coordinate? }
      """,
      ["-default-isolation", "MainActor"]
    ),
    // The one that the compiler places in the expansion, with a note at the class.
    (
      "type 'Author' does not conform to protocol 'Equatable'",
      "@Entity final class Author {\n  static func == (one: Author, other: Author) -> Bool { one === other }\n}", []
    ),
    (
      "'nonisolated' cannot be applied to mutable stored properties",
      "protocol Named {}\n@Entity final class Author: Named { var name: String }", ["-default-isolation", "MainActor"]
    ),
  ]

  @Test(arguments: compilersWords.indices) func `an article explains the compiler's words`(_ number: Int) async throws {
    let (error, code, options) = Self.compilersWords[number]
    let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let path = "Sources/EntityMacros/EntityMacros.docc/CompilerMessages.md"
    let article = try String(
      contentsOf: folder.deletingLastPathComponent().appending(path: path), encoding: .utf8)
    #expect(article.contains("| `\(error)`"))
    guard let found = try await Compiler.check(["Misuse": "import EntityClient\n" + code], options) else { return }
    #expect(
      found.contains { ($0.file != nil || error.hasSuffix("'Equatable'")) && $0.message.hasPrefix(error) }, "\(found)")
  }
}
