import SwiftSyntaxMacrosGenericTestSupport
import Testing

/// `@Derived`.
@Suite struct DerivedExpansionTests {
  @Test func `the body is a function of the attributes that it reads`() {
    let expanded = expansion(
      of: #"""
        @Entity final class Crate {
          var width: Int
          var `default`: Int = 2
          var `extension`: String?
          var author: Person?
          var name: String
          @Derived @Indexed public var area: Int { self.width * `default` }
          @Derived(version: 3) var label: String? {
            get {
              // The first letter.
              guard let first = name.first else { return nil }
              let width = width
              return "\(first)\(width)\(other.name)\(\Crate.author)"
            }
          }
          @Derived var ending: String { if let `extension` { `extension` } else { "\(self.default)" } }
        }
        """#)
    let parts = [
      #"public let area = _EntityColumn<Crate, Int>(5, "area")"#,
      #".derived(\Crate.area, columns.area, from: columns.width, columns.`default`, version: "1-"#,
      #", indexed: true) { width, `default` -> Int in width * `default` },"#,
      #".derived(\Crate.label, columns.label, from: columns.width, columns.name, version: "3-"#,
      "from: columns.`default`, columns.`extension`, version:", #"else { "\(`default`)" } }"#,
      "{ width, name -> String? in", "return \"\\(first)\\(width)\\(other.name)\\(\\Crate.author)\"",
    ]
    for part in parts { #expect(expanded.contains(part), "\(part)\n\(expanded)") }
    for member in ["_$$area", "_$$label", "_get(\\.area", "columns.area)"] { #expect(!expanded.contains(member)) }
  }

  /// The text of the version that the store compares.
  private func version(_ property: String) -> String? {
    let expanded = expansion(of: "@Entity final class Crate {\n  var width: Int\n  \(property)\n}")
    return expanded.split(separator: "version: \"").dropFirst().first?.split(separator: "\"").first.map(String.init)
  }

  @Test func `the version tells bodies of derived properties apart`() {
    let plain = version("@Derived var area: Int { width * 2 }")
    #expect(plain?.hasPrefix("1-") == true)
    #expect(version("@Derived var area: Int {\n    // Twice.\n    width  *  2\n  }") == plain)
    #expect(version("@Derived var area: Int { width * 3 }") != plain)
    // Another style is no other body.
    #expect(version("@Derived var area: Int { return self.width * 2; }") == plain)
    let call = version("@Derived var area: Int { max(width, 2) }")
    #expect(version("@Derived var area: Int { max(\n    self.`width`,\n    2,\n  ) }") == call)
    #expect(version("@Derived var area: Int { max(width, 2, 2) }") != call)
    // Backticks are of a name, or of a text.
    #expect(
      version("@Derived var label: String { \"`\\(width)`\" }")
        != version("@Derived var label: String { \"\\(width)\" }"))
    #expect(version("@Derived(version: 2) var area: Int { width * 2 }") == plain.map { "2-\($0.dropFirst(2))" })
  }

  @Test(arguments: [
    (
      "var cost: Int",
      "a derived property is computed: say in braces how its value is made, as in 'var cost: Int { … }'"
    ),
    ("private var total: Int { price }", "'@Derived' has no meaning here: 'total' is private"),
    ("static var total: Int { 3 }", "'@Derived' has no meaning here: 'total' is no stored property"),
    ("@Key(\"x\") var total: Int { price }", "'@Key' has no meaning for a derived property"),
    ("@Unique var total: Int { price }", "'@Unique' has no meaning for a derived property"),
    ("var total: Int { get { price } set {} }", "a derived property has a getter alone"),
    ("var total: Int { get throws { price } }", "the getter of a derived property neither throws nor waits"),
    ("var total: Int { 3 }", "a derived property is made of stored attributes, and 'total' reads none"),
    ("var total: Int { other * price }", "and 'other' is derived, too"),
    ("var total: Int { price + plain }", "and 'plain' is no column"),
    ("var total: Int { price + twice() }", "and 'twice' is a function of the object"),
    ("var total: Int { price + boxes.count }", "and 'boxes' is a relationship"),
    ("var total: Int { price + label.count }", "and 'label' is lazy"),
    ("var total: Int { let price = min(self.price, 3); return price + self.price }", "'price' is a property"),
    ("var total: Int { [1].map { price in price + self.price }[0] }", "'price' is a property"),
    ("var total: Int { let total = price * 2; return total }", "can't have a local of that name: rename the local"),
    ("var total: Int { func plain() -> Int { price }; return plain() }", "'plain' is a property"),
    ("var total: Int { [1].map { [self] in $0 + price }[0] }", "a derived property reads attributes by their names"),
    ("var total: Int { price + Self.sum(self) }", "a derived property reads attributes by their names"),
  ])
  func `misuse is one message`(_ property: String, _ message: String) async throws {
    let code = """
      import EntityClient

      @Entity final class Purchase {
        var price: Int
        @Relationship(inverse: \\Box.purchase) var boxes: [Box]
        @Derived var other: Int { price }
        @Lazy var label: String
        var plain: Int { 3 }
        func twice() -> Int { 2 }
        nonisolated static func sum(_ purchase: Purchase) -> Int { 1 }
        @Derived \(property)
      }
      @Entity final class Box { var purchase: Purchase? }
      """
    guard let found = try await Compiler.check(["Purchase": code], Compiler.strict) else { return }
    let own = found.filter { $0.description.contains(message) }
    #expect(own.count == 1, "\(found)")
    #expect(found.count == 1, "\(found)")
  }

  @Test func `a derived property that reads a link and a setter of a derived property are refused`() async throws {
    let code = """
      import EntityClient

      @Entity final class Purchase {
        var price: Int
        var buyer: Buyer?
        @Derived var total: Int { price * 2 }
        @Derived var name: String { buyer?.name ?? "" }
      }
      @Entity final class Buyer { var name: String }
      func change(_ purchase: Purchase) { purchase.total = 3 }
      """
    guard let found = try await Compiler.check(["Purchase": code], Compiler.strict) else { return }
    let messages = found.map(\.description)
    #expect(messages.count == 2, "\(messages)")
    #expect(messages.contains { $0.contains("cannot assign to property: 'total' is a get-only property") })
    #expect(messages.contains { $0.hasPrefix("Purchase:7: ") && $0.contains("made of attributes of its own object") })
  }

  @Test(arguments: [[], ["-default-isolation", "MainActor"], ["-O"]])
  func `each form compiles without a warning`(_ options: [String]) async throws {
    let code = #"""
      public import EntityClient
      import Foundation

      public enum Size: String, AttributeValue { case small, large }

      @Entity public final class Load {
        @UID public var uid: Int
        public var title: String
        var weights: [Double]
        var `default`: Int = 1
        var note: String?
        var made: Date?
        var size: Size = .small
        var owner: Owner?

        @Derived @Indexed public var folded: String { title.lowercased() }
        @Derived package var sum: Double { weights.reduce(0, +) }
        @Derived var letter: String? {
          guard let first = self.title.first else { return nil }
          return String(first)
        }
        @Derived(version: 4) var isOld: Bool { get { made.map { $0.timeIntervalSince1970 < Double(`default`) } ?? true } }
        @Derived public var next: Size { if size == .small { .large } else { .small } }
        @Derived var twice: Int { self.default + self.default }
        @Derived var noted: Int { if let note { note.count } else { 0 } }
        @Derived var length: Int {
          let title = title.lowercased()
          guard let note else { return title.count }
          return note.count + self.uid
        }
        @Derived var code: Int { Self.code(of: title, uid) }  // with a function of its values
        @Derived @available(*, deprecated) var old: Int { uid }

        nonisolated static func code(of title: String, _ uid: Int) -> Int { title.count + uid }
      }
      @Entity final class Owner {
        @Relationship(inverse: \Load.owner, sortedBy: \Load.folded) var loads: [Load]
      }
      """#
    guard let found = try await Compiler.check(["Load": code], Compiler.strict + options) else { return }
    #expect(found.isEmpty, "\(found)")
  }
}
