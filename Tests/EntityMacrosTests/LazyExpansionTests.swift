import SwiftSyntaxMacrosGenericTestSupport
import Testing

/// `@Lazy`.
@Suite struct LazyExpansionTests {
  @Test func `the column says that the property is lazy`() {
    let expanded = expansion(
      of: """
        @Entity final class User {
          @Lazy @Key("img") @Transformed(by: Pixels.self) @Renamed(from: "image") var photo: Data?
          @Lazy var text: String = "none"
        }
        """)
    let parts = [
      "let photo = _EntityColumn<User, _EntityLazyValue<Data?>>(0, \"photo\")",
      "let text = _EntityColumn<User, _EntityLazyValue<String>>(1, \"text\")",
      #".property(\User.photo, columns.photo, key: "img", transformer: Pixels.self).renamed(from: "image"),"#,
      #".property(\User.text, columns.text, default: "none"),"#,
      #"(_get(\.photo, Self.columns.photo, _$$photo))"#,
      "private nonisolated var _$$photo = _EntitySlot<Data?>()",
    ]
    for part in parts { #expect(expanded.contains(part), "\(part): \(expanded)") }
  }

  static let misuses: [DiagnosticTests.Misuse] = [
    DiagnosticTests.member(
      "@UID ▸@Lazy var id: Int", "'id' can't be '@Lazy': the uid is read with each object", "remove '@Lazy'",
      "@UID var id: Int"),
    DiagnosticTests.member(
      "▸@Lazy @Unique var text: String",
      "'text' can't be '@Lazy': the index of a unique attribute has a copy of each value", "remove '@Lazy'",
      "@Unique var text: String"),
    DiagnosticTests.member(
      "@Indexed ▸@Lazy var text: String", "'text' can't be '@Lazy': an index has a copy of each value",
      "remove '@Lazy'", "@Indexed var text: String"),
    DiagnosticTests.member(
      "▸@Lazy @Relationship(inverse: \\Post.author) var posts: [Post]",
      "'@Lazy' is for attributes, and 'posts' is a relationship, whose objects are read when they are used",
      "remove '@Lazy'", "@Relationship(inverse: \\Post.author) var posts: [Post]"),
    DiagnosticTests.member(
      "@Lazy ▸@Lazy var text: String", "'text' has an '@Lazy' already", "remove '@Lazy'", "@Lazy var text: String"),
    DiagnosticTests.member(
      "@Transient ▸@Lazy var text: String = \"\"",
      "'@Lazy' has no meaning here: 'text' is '@Transient', so that it is no column", "remove '@Lazy'",
      "@Transient var text: String = \"\""),
    DiagnosticTests.member(
      "▸lazy var text: String = \"\"",
      "a lazy property can't be stored in an entity; make it computed, or mark it '@Transient'"),
  ]

  @Test(arguments: misuses) func `a misuse of a lazy property is reported once, where it is`(
    _ misuse: DiagnosticTests.Misuse
  ) throws {
    try DiagnosticTests().`a diagnostic is told once, where it is`(misuse)
  }

  @Test(arguments: [[], ["-default-isolation", "MainActor"], ["-O"]])
  func `each form compiles without a warning`(_ options: [String]) async throws {
    let code = #"""
      public import EntityClient
      public import Foundation

      public struct Layout: Codable, AttributeValue { var size = 1 }

      @Entity public final class Poster {
        @UID public var uid: Int
        @Lazy public var image: Data?
        @Lazy public var bytes: Data
        @Lazy var text: String
        @Lazy var note: String?
        @Lazy var words: [String]
        @Lazy var layout: Layout = Layout()
        @Lazy var maybe: Layout?
        @Lazy @available(*, deprecated) var `default`: String
        @Relationship(inverse: \Frame.poster) var frames: [Frame]
      }
      @Entity public final class Frame {
        var poster: Poster?
      }
      extension Poster {
        static var bare: EntityQuery<Poster> { Poster.where { $0.image == nil && $0.note != nil } }
      }
      """#
    guard let found = try await Compiler.check(["Poster": code], Compiler.strict + options) else { return }
    #expect(found.isEmpty, "\(found)")
  }

  static let refused: [(code: String, message: String)] = [
    ("@Lazy var author: Wrong?", "'@Lazy' is for attributes"), ("@Lazy var all: [Wrong]", "'@Lazy' is for attributes"),
    ("@Lazy var layout: Layout", "a property of this type needs a default value"),
    ("@Lazy var image: Data?\nfunc sorted() { _ = Wrong.all.sorted(by: \\.image) }", ""),
    ("@Lazy var image: Data?\nfunc found() { _ = Wrong.where { $0.image == Data() } }", ""),
    ("@Lazy var image: Data?\nvar copy: Data? { snapshot.image }", "A snapshot has no lazy values"),
  ]

  @Test(arguments: refused.indices) func `the compiler refuses the other misuses of a lazy property`(_ number: Int)
    async throws
  {
    let (member, message) = Self.refused[number]
    let code = """
      import EntityClient
      import Foundation
      struct Layout: Codable, AttributeValue { var size = 1 }
      @Entity final class Wrong {
        \(member)
      }
      """
    guard let found = try await Compiler.check(["Wrong": code], Compiler.strict) else { return }
    let errors = found.filter { !"\($0)".contains("note:") }
    #expect(errors.count == 1, "\(found)")
    #expect(errors.first.map { "\($0)".contains(message) } == true, "\(found)")
  }
}
