import Testing

/// `@Relationship(inverse: nil)`.
@Suite struct IndependentListTests {
  @Test func `the descriptor says that the list has no inverse`() {
    let expanded = expansion(
      of: """
        @Entity final class User {
          @Relationship(inverse: nil, onDelete: .cascade, ordered: true) @Renamed(from: "liked") var favorites: [Post]
          @Relationship(inverse: nil, sortedBy: \\Post.title) var pinned: [Post]
        }
        """)
    let descriptors = [
      #".property(\User.favorites, columns.favorites, onDelete: .cascade).withoutInverse().ordered().renamed(from: "liked"),"#,
      #".property(\User.pinned, columns.pinned, onDelete: .nullify).withoutInverse().sorted(by: _InverseColumns<Post>().title),"#,
    ]
    for descriptor in descriptors { #expect(expanded.contains(descriptor), "\(expanded)") }
  }

  @Test(arguments: [[], ["-default-isolation", "MainActor"]])
  func `each form compiles without a warning`(_ options: [String]) async throws {
    let code = #"""
      import EntityClient

      @Entity final class User {
        @Relationship(inverse: nil) var favorites: [Post]
        @Relationship(inverse: nil, onDelete: .cascade, ordered: true) var drafts: [Post]
        @Relationship(inverse: nil, sortedBy: \Post.title, order: .descending) var pinned: [Post]
      }
      @Entity final class Post {
        var title: String
        var author: User?
      }
      """#
    guard let found = try await Compiler.check(["User": code], Compiler.strict + options) else { return }
    #expect(found.isEmpty, "\(found)")
  }

  @Test func `a relationship to one cannot be declared without an inverse`() async throws {
    let code = "import EntityClient\n@Entity final class Pair {\n  @Relationship(inverse: nil) var other: Pair?\n}"
    guard let found = try await Compiler.check(["Pair": code], Compiler.strict) else { return }
    #expect(found.count == 1, "\(found)")
    let message = "Pair:3: the inverse is named on one side only: on that of an array, or of an Optional"
    #expect(found.first?.description.hasPrefix(message) == true, "\(found)")
  }
}
