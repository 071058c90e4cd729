import Testing

/// Transient properties in modules as users have them.
@Suite struct TransientExpansionTests {
  @Test func `a deprecated transient property in backticks and without a type is expanded`() {
    let expanded = expansion(
      of: "@Entity final class Door {\n  @Transient @available(*, deprecated) private(set) var `default` = [1, 2]\n}")
    let parts = [
      "@available(*, deprecated)\n  private(set) var `default`", #"_getTransient(\.`default`, _$$default)"#,
      #"_setTransient(\.`default`, _$$default, newValue) {"#, #"_willModifyTransient(\.`default`)"#,
      "@available(*, deprecated) private nonisolated var _$$default = [1, 2]\n",
    ]
    for part in parts { #expect(expanded.contains(part), "\(expanded)") }
    #expect(!expanded.contains("_EntityColumn<"), "no column")
  }

  @Test(arguments: [
    "let limit = 3", "lazy var slow: Int = { 3 }()", "weak var peer: Door?", "var watched = 0 { didSet {} }",
    "@MainActor var shown = 3", "@ObservationIgnored var quiet = 3", "var one = 1, two = 2", "static var shared = 1",
    "var open: Int { 3 }",
  ])
  func `properties that cannot be observed stay as they are written`(_ property: String) {
    let expanded = expansion(of: "@Entity final class Door {\n  @Transient \(property)\n}")
    #expect(expanded.contains("\n  \(property)\n"), "\(expanded)")
    #expect(!expanded.contains("_getTransient"))
  }

  @Test(arguments: [[], ["-default-isolation", "MainActor"], ["-O"]])
  func `every form compiles without a warning`(_ options: [String]) async throws {
    let code = #"""
      public import EntityClient
      import Observation

      @Entity public final class Door {
        @UID public var uid: Int
        @Transient public private(set) var isOpen = false
        @Transient var words = ["a", "b"].map { $0.uppercased() }
        @Transient package var cache: [String: Any] = [:]
        @Transient var handler: (() -> Void)?
        @Transient private var `default` = 1.5
        @Transient @available(*, deprecated) var old: Int! = nil
        @Transient nonisolated var peerName: String? = nil
        @Transient let limit = 3
        @Transient lazy var slow: Int = { 3 }()
        @Transient weak var peer: Door?
        @Transient var watched = 0 { didSet {} }
        @Transient @ObservationIgnored var quiet = 3
        #if DEBUG
          @Transient var trace: [String] = []
        #endif

        nonisolated func open() {
          isOpen.toggle()
          words[0] += "c"
          cache["a"] = 1
          `default` += 1
          handler?()
        }
      }
      """#
    guard let found = try await Compiler.check(["Door": code], Compiler.strict + options) else { return }
    #expect(found.isEmpty, "\(found)")
  }
}
