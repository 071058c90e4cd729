import Testing

@Suite struct ExpansionTests {
  @Test func a() {
    expectExpansion("""
      /// A user.
      @Entity public final class User {
        /// The server's.
        @UID @Key("id") public var uid: Int
        @Unique public var email: String?
        public var age: Int = 18
        @Relationship(inverse: \\Post.author, onDelete: .cascade) public var posts: [Post]
        var address: Address?
        @Transient var cache: [String: Int] = [:]
        private var hidden = 3
        public var name: String { "" }
      }
      """, "")
  }
}
