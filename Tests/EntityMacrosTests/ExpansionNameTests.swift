import Testing

/// The names that an expansion writes: former ones, and those that need backticks or an escape.
@Suite struct ExpansionNameTests {
  /// The name of the class is a former one where the entity has another name.
  @Test(arguments: [
    "static var entityName: String { \"AppUser\" }", "static var entityName: String { return \"AppUser\" }",
    "static let entityName = \"AppUser\"", "class var entityName: String { prefix + \"User\" }",
  ]) func `the name of the class may be a former one`(_ name: String) {
    let expanded = expansion(of: "@Entity @Renamed(from: \"User\") final class User {\n  \(name)\n  var age: Int\n}")
    #expect(expanded.contains("formerEntityNames: [Swift.String]") && expanded.contains("[\"User\"]"))
  }

  /// As the members of a public extension are, the entity is public.
  @Test(arguments: ["public", "package"]) func `the access of an extension is that of its entities`(_ access: String) {
    let expanded = expansion(of: "\(access) extension Blog {\n  @Entity final class Post {\n    var id: Int\n  }\n}")
    for member in ["nonisolated let _$state", "nonisolated static let columns", "nonisolated struct Columns"] {
      #expect(expanded.contains("\(access) \(member)"))
    }
    let hidden = expansion(
      of: "\(access) extension Blog {\n  @Entity internal final class Post {\n    var id: Int\n  }\n}")
    #expect(!hidden.contains("\(access) nonisolated"))
  }

  @Test func `names of earlier versions`() {
    expectExpansion(
      """
      @Entity(removed: "nickname", "age") @Renamed(from: "Person", "Human") public final class User {
        @Renamed(from: "fullName") var name: String
      }
      """,
      #"""
      public final class User {
        var name: String {
          get {
            (_get(\.name, Self.columns.name, _$$name))
          }
          set {
            _set(\.name, Self.columns.name, _$$name, newValue) {
              _$$name = $0
            }
          }
        }

        private nonisolated var _$$name = _EntitySlot<String>()

        public nonisolated struct Columns: Sendable {
          let name = _EntityColumn<User, String>(0, "name")
        }

        public nonisolated static let columns: Columns = Columns()

        public nonisolated static var properties: [_EntityDescriptor] {
          [
            .property(\User.name, columns.name).renamed(from: "fullName"),
          ]
        }

        public nonisolated let _$state: _EntityState

        public nonisolated static var formerEntityNames: [Swift.String] { ["Person", "Human"] }

        public nonisolated static var removedProperties: [Swift.String] { ["nickname", "age"] }

        public nonisolated init(_ state: _EntityState) { _$state = state }

        public nonisolated func _$load(_ row: _EntityRowReader) {
          _load(row, Self.columns.name) { _$$name = $0 }
        }

        public nonisolated func _$store(into row: inout _EntityRowValues) {
          _store(&row, Self.columns.name, _$$name)
        }
      }

      nonisolated extension User: ManagedEntity {}
      """#)
  }

  @Test func `names and types that need care`() {
    expectExpansion(
      """
      enum Shop {
        @Entity final class Order {
          var `default`: Bool
          var note: String!
          var lines: Optional<[String: [Int]]>
          private(set) var state: String
          @Relationship(onDelete: .deny) var customer: Shop.Customer?
          var previous: Order? = nil
          #if DEBUG
            var trace: String { "" }
          #endif
        }
      }
      """,
      #"""
      enum Shop {
        final class Order {
          var `default`: Bool {
            get {
              (_get(\.`default`, Self.columns.`default`, _$$default))
            }
            set {
              _set(\.`default`, Self.columns.`default`, _$$default, newValue) {
                _$$default = $0
              }
            }
          }

          private nonisolated var _$$default = _EntitySlot<Bool>()
          var note: String! {
            get {
              (_get(\.note, Self.columns.note, _$$note))
            }
            set {
              _set(\.note, Self.columns.note, _$$note, newValue) {
                _$$note = $0
              }
            }
          }

          private nonisolated var _$$note = _EntitySlot<String?>()
          var lines: Optional<[String: [Int]]> {
            get {
              (_get(\.lines, Self.columns.lines, _$$lines))
            }
            set {
              _set(\.lines, Self.columns.lines, _$$lines, newValue) {
                _$$lines = $0
              }
            }
            _modify {
              var lent = _EntityLentValue((_get(\.lines, Self.columns.lines, _$$lines)))
              defer {
                if _takesChange(Self.columns.lines, lent.value) {
                  _set(\.lines, Self.columns.lines, _$$lines, lent.value) {
                    _$$lines = $0
                  }
                }
              }
              yield &lent.value
            }
          }

          private nonisolated var _$$lines = _EntitySlot<Optional<[String: [Int]]>>()
          private(set) var state: String {
            get {
              (_get(\.state, Self.columns.state, _$$state))
            }
            set {
              _set(\.state, Self.columns.state, _$$state, newValue) {
                _$$state = $0
              }
            }
          }

          private nonisolated var _$$state = _EntitySlot<String>()
          var customer: Shop.Customer? {
            get {
              (_get(\.customer, Self.columns.customer, _$$customer))
            }
            set {
              _set(\.customer, Self.columns.customer, _$$customer, newValue) {
                _$$customer = $0
              }
            }
            _modify {
              var lent = _EntityLentValue((_get(\.customer, Self.columns.customer, _$$customer)))
              defer {
                if _takesChange(Self.columns.customer, lent.value) {
                  _set(\.customer, Self.columns.customer, _$$customer, lent.value) {
                    _$$customer = $0
                  }
                }
              }
              yield &lent.value
            }
          }

          private nonisolated var _$$customer = _EntitySlot<Shop.Customer?>()
          var previous: Order? {
            get {
              (_get(\.previous, Self.columns.previous, _$$previous))
            }
            set {
              _set(\.previous, Self.columns.previous, _$$previous, newValue) {
                _$$previous = $0
              }
            }
            _modify {
              var lent = _EntityLentValue((_get(\.previous, Self.columns.previous, _$$previous)))
              defer {
                if _takesChange(Self.columns.previous, lent.value) {
                  _set(\.previous, Self.columns.previous, _$$previous, lent.value) {
                    _$$previous = $0
                  }
                }
              }
              yield &lent.value
            }
          }

          private nonisolated var _$$previous = _EntitySlot<Order?>()
          #if DEBUG
            var trace: String { "" }
          #endif

          nonisolated struct Columns: Sendable {
            let `default` = _EntityColumn<Order, Bool>(0, "default")
            let note = _EntityColumn<Order, String?>(1, "note")
            let lines = _EntityColumn<Order, Optional<[String: [Int]]>>(2, "lines")
            let state = _EntityColumn<Order, String>(3, "state")
            let customer = _EntityColumn<Order, Shop.Customer?>(4, "customer")
            let previous = _EntityColumn<Order, Order?>(5, "previous")
          }

          nonisolated static let columns: Columns = Columns()

          nonisolated static var properties: [_EntityDescriptor] {
            [
              .property(\Order.`default`, columns.`default`),
              .property(\Order.note, columns.note),
              .property(\Order.lines, columns.lines),
              .property(\Order.state, columns.state),
              .property(\Order.customer, columns.customer, onDelete: .deny),
              .property(\Order.previous, columns.previous),
            ]
          }

          nonisolated let _$state: _EntityState

          nonisolated init(_ state: _EntityState) { _$state = state }

          nonisolated func _$load(_ row: _EntityRowReader) {
            _load(row, Self.columns.`default`) { _$$default = $0 }
            _load(row, Self.columns.note) { _$$note = $0 }
            _load(row, Self.columns.lines) { _$$lines = $0 }
            _load(row, Self.columns.state) { _$$state = $0 }
            _load(row, Self.columns.customer) { _$$customer = $0 }
            _load(row, Self.columns.previous) { _$$previous = $0 }
          }

          nonisolated func _$store(into row: inout _EntityRowValues) {
            _store(&row, Self.columns.`default`, _$$default)
            _store(&row, Self.columns.note, _$$note)
            _store(&row, Self.columns.lines, _$$lines)
            _store(&row, Self.columns.state, _$$state)
            _store(&row, Self.columns.customer, _$$customer)
            _store(&row, Self.columns.previous, _$$previous)
          }
        }
      }

      nonisolated extension Shop.Order: ManagedEntity {}
      """#)
  }
}
