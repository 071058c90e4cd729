import Testing

/// The whole text that the macro writes.
@Suite struct ExpansionTests {
  @Test func `an entity with each kind of property is expanded`() {
    expectExpansion(
      """
      /// Someone.
      @Entity public final class User {
        @UID public var uid: Int
        /// Where mail goes.
        public var email: String?
        @Key("profile.age") public var age: Int = 18
        @Indexed public var rank: Int64?
        @Transformed(by: Cents.self) package var balance: Decimal
        @Relationship(inverse: \\Post.author, onDelete: .cascade) public var posts: [Post]
        @Unique var code: String = "none"
        @Transient var cache: [String: Int] = [:]
        private var hidden = 3
        public var name: String { email ?? "" }
        static let shared = 1
        func greet() {}
      }
      """,
      #"""
      /// Someone.
      public final class User {
        public var uid: Int {
          get {
            (_get(\.uid, Self.columns.uid, _$$uid))
          }
          set {
            _set(\.uid, Self.columns.uid, _$$uid, newValue) {
              _$$uid = $0
            }
          }
        }

        private nonisolated var _$$uid = _EntitySlot<Int>()
        /// Where mail goes.
        public var email: String? {
          get {
            (_get(\.email, Self.columns.email, _$$email))
          }
          set {
            _set(\.email, Self.columns.email, _$$email, newValue) {
              _$$email = $0
            }
          }
        }

        private nonisolated var _$$email = _EntitySlot<String?>()
        public var age: Int {
          get {
            (_get(\.age, Self.columns.age, _$$age))
          }
          set {
            _set(\.age, Self.columns.age, _$$age, newValue) {
              _$$age = $0
            }
          }
        }

        private nonisolated var _$$age = _EntitySlot<Int>()
        public var rank: Int64? {
          get {
            (_get(\.rank, Self.columns.rank, _$$rank))
          }
          set {
            _set(\.rank, Self.columns.rank, _$$rank, newValue) {
              _$$rank = $0
            }
          }
        }

        private nonisolated var _$$rank = _EntitySlot<Int64?>()
        package var balance: Decimal {
          get {
            (_get(\.balance, Self.columns.balance, _$$balance))
          }
          set {
            _set(\.balance, Self.columns.balance, _$$balance, newValue) {
              _$$balance = $0
            }
          }
        }

        private nonisolated var _$$balance = _EntitySlot<Decimal>()
        public var posts: [Post] {
          get {
            (_get(\.posts, Self.columns.posts, _$$posts))
          }
          set {
            _set(\.posts, Self.columns.posts, _$$posts, newValue) {
              _$$posts = $0
            }
          }
          _modify {
            var lent = _EntityLentValue((_get(\.posts, Self.columns.posts, _$$posts)))
            defer {
              if _takesChange(Self.columns.posts, lent.value) {
                _set(\.posts, Self.columns.posts, _$$posts, lent.value) {
                  _$$posts = $0
                }
              }
            }
            yield &lent.value
          }
        }

        private nonisolated var _$$posts = _EntitySlot<[Post]>()
        var code: String {
          get {
            (_get(\.code, Self.columns.code, _$$code))
          }
          set {
            _set(\.code, Self.columns.code, _$$code, newValue) {
              _$$code = $0
            }
          }
        }

        private nonisolated var _$$code = _EntitySlot<String>()
        var cache: [String: Int] {
          get {
            _getTransient(\.cache, _$$cache)
          }
          set {
            _setTransient(\.cache, _$$cache, newValue) {
              _$$cache = $0
            }
          }
          _modify {
            _willModifyTransient(\.cache)
            defer {
              _didModifyTransient(\.cache)
            }
            yield &_$$cache
          }
        }

        private nonisolated var _$$cache: [String: Int] = [:]
        private var hidden = 3
        public var name: String { email ?? "" }
        static let shared = 1
        func greet() {}

        public nonisolated struct Columns: Sendable {
          public let uid = _EntityColumn<User, Int>(0, "uid")
          public let email = _EntityColumn<User, String?>(1, "email")
          public let age = _EntityColumn<User, Int>(2, "age")
          public let rank = _EntityColumn<User, Int64?>(3, "rank")
          package let balance = _EntityColumn<User, Decimal>(4, "balance")
          public let posts = _EntityColumn<User, [Post]>(5, "posts")
          let code = _EntityColumn<User, String>(6, "code")
        }

        public nonisolated static let columns: Columns = Columns()

        @available(*, deprecated, message: "the store reads 'properties' when it opens") public nonisolated static var properties: [_EntityDescriptor] {
          let _$$posts = _InverseColumns<Post>().author
          return [
            .property(\User.uid, columns.uid, uid: true),
            .property(\User.email, columns.email),
            .property(\User.age, columns.age, key: "profile.age", default: 18),
            .property(\User.rank, columns.rank, index: .plain),
            .property(\User.balance, columns.balance, transformer: Cents.self),
            .property(\User.posts, columns.posts, inverse: _$$posts, onDelete: .cascade),
            .property(\User.code, columns.code, index: .unique, default: "none"),
          ]
        }

        public nonisolated let _$state: _EntityState

        public nonisolated init(_ state: _EntityState) { _$state = state }

        public nonisolated func _$load(_ row: _EntityRowReader) {
          _load(row, Self.columns.uid) { _$$uid = $0 }
          _load(row, Self.columns.email) { _$$email = $0 }
          _load(row, Self.columns.age) { _$$age = $0 }
          _load(row, Self.columns.rank) { _$$rank = $0 }
          _load(row, Self.columns.balance) { _$$balance = $0 }
          _load(row, Self.columns.posts) { _$$posts = $0 }
          _load(row, Self.columns.code) { _$$code = $0 }
        }

        public nonisolated func _$store(into row: inout _EntityRowValues) {
          _store(&row, Self.columns.uid, _$$uid)
          _store(&row, Self.columns.email, _$$email)
          _store(&row, Self.columns.age, _$$age)
          _store(&row, Self.columns.rank, _$$rank)
          _store(&row, Self.columns.balance, _$$balance)
          _store(&row, Self.columns.posts, _$$posts)
          _store(&row, Self.columns.code, _$$code)
        }
      }

      nonisolated extension User: ManagedEntity {}
      """#)
  }

  @Test func `a text of several lines keeps them`() {
    let text = expansion(
      of: #"""
        @Entity final class User {
          var motto: String = """
            One.

              Two.
            """
          @Relationship(inverse: \User.friend) var friends: [User]
          var friend: User?
        }
        """#)
    #expect(
      text.contains(
        #"""
              .property(\User.motto, columns.motto, default: """
              One.

                Two.
              """),
        """#), "\(text)")
  }

  @Test func `members that name a deprecated property are deprecated`() {
    let text = expansion(
      of: """
        @Entity final class User {
          @available(*, deprecated, renamed: "name") var title: String
          var name: String
        }
        """)
    for line in [
      #"@available(*, deprecated, renamed: "name") private nonisolated var _$$title = _EntitySlot<String>()"#,
      #"@available(*, deprecated, renamed: "name") let title = _EntityColumn<User, String>(0, "title")"#,
      #"let name = _EntityColumn<User, String>(1, "name")"#,
      #"@available(*, deprecated, message: "the store reads 'properties' when it opens") nonisolated static var properties: [_EntityDescriptor] {"#,
      "@available(*, deprecated) nonisolated func _$load(_ row: _EntityRowReader) {",
      "@available(*, deprecated) nonisolated func _$store(into row: inout _EntityRowValues) {",
    ] {
      #expect(text.contains("\n    \(line)\n") || text.contains("\n  \(line)\n"), "\(line)\n\(text)")
    }
  }

  @Test func `the extension is available where the type is`() {
    let text = expansion(
      of: """
        @available(macOS 26, *) enum Shop {
          @available(*, deprecated)
          enum Old {
            @available(iOS 26, *) @Entity final class User {}
          }
        }
        """)
    #expect(
      text.hasSuffix(
        """
        @available(macOS 26, *)
        @available(*, deprecated)
        @available(iOS 26, *)
        nonisolated extension Shop.Old.User: ManagedEntity {}
        """), "\(text)")
  }

  @Test func `an entity that may have a superclass says that it has none`() {
    for (clause, says) in [
      ("", false), (": RemoteEntity", false), (": ManagedEntity, Named", false), (": Named", true),
    ] {
      let text = expansion(of: "@Entity final class User\(clause) {}")
      #expect(text.contains("_entityHasNoSuperclass()") == says)
    }
  }

  @Test func `an entity without properties is expanded`() {
    expectExpansion(
      "@Entity final class Empty {}",
      #"""
      final class Empty {

        nonisolated struct Columns: Sendable {

        }

        nonisolated static let columns: Columns = Columns()

        nonisolated static var properties: [_EntityDescriptor] {
          [

          ]
        }

        nonisolated let _$state: _EntityState

        nonisolated init(_ state: _EntityState) { _$state = state }

        nonisolated func _$load(_ row: _EntityRowReader) {

        }

        nonisolated func _$store(into row: inout _EntityRowValues) {

        }
      }

      nonisolated extension Empty: ManagedEntity {}
      """#)
  }

  /// The compiler's own errors are told at the line, and where it matters the column, of the property.
  @Test func `the lines of an expansion are those of the source`() {
    let text = expansion(
      of: #"""
        import EntityClient

        @Entity final class User: Named {
          /// Called so.
          var name: String = """
            no
            body
            """
          var age: Int; var size: Int
          @Relationship(
            inverse: \User.friend) var friends: [User]

          var friend: User?
        }
        """#, in: "/src/User.swift")
    for part in [
      #"""
        #sourceLocation(file: "/src/User.swift", line: 3)

        nonisolated struct Columns: Sendable {
          let name = _EntityColumn<User, String>(0, "name")



          let age = _EntityColumn<User, Int>(1, "age"); let size = _EntityColumn<User, Int>(2, "size")

          let friends = _EntityColumn<User, [User]>(3, "friends")

          let friend = _EntityColumn<User, User?>(4, "friend")
        }

        #sourceLocation()
      """#,
      #"""
        #sourceLocation(file: "/src/User.swift", line: 11)
          let _$$friends = _InverseColumns<User>().friend
        #sourceLocation()
        #sourceLocation(file: "/src/User.swift", line: 4)
          return [
             .property(\User.name, columns.name, default: """
            no
            body
            """),
             .property(\User.age, columns.age), .property(\User.size, columns.size),

                    .property(\User.friends, columns.friends, inverse: _$$friends, onDelete: .nullify),

             .property(\User.friend, columns.friend),
          ]
        #sourceLocation()
      """#,
      """
        #sourceLocation(file: "/src/User.swift", line: 3)
                                  _entityHasNoSuperclass() }
      """,
    ] {
      #expect(text.contains(part), "\(part)\n\(text)")
    }
  }
}
