import Foundation
import Testing

/// What the compiler must refuse: objects that leave their context.
struct CompileTimeTests {
  static let refused: [(name: String, code: String)] = [
    ("returned from background", "_ = try await store.background { context in try context.insert(Thing.self) }"),
    ("list returned from read", "_ = try await store.read { context in try context.fetch(Thing.self) }"),
    (
      "captured variable",
      "var thing: Thing?; try await store.background { thing = try $0.insert(Thing.self) }; _ = thing"
    ),
    (
      "into a detached task",
      "try await store.background { context in let t = try context.insert(Thing.self); Task.detached { _ = t.name } }"
    ),
    (
      "the context itself",
      "try await store.background { context in Task.detached { _ = try context.insert(Thing.self) } }"
    ),
    (
      "from main to background",
      "let thing = try await MainActor.run { try store.main.insert(Thing.self) }; _ = thing"
    ),
    (
      "main's object in background",
      "try await onMain(store)"
    ),
    ("waiting within a unit", "try await store.background { context in try await Task.sleep(for: .seconds(1)) }"),
  ]

  @Test(arguments: 0..<refused.count)
  func objectsDoNotLeaveTheirContext(_ number: Int) throws {
    let (name, code) = Self.refused[number]
    let misuse = name == "main's object in background"
    let result = try Compiler.check(
      code,
      main: misuse
        ? "let t = try store.main.insert(Thing.self); try await store.background { _ in t.name = \"x\" }" : "")
    guard let result else { return }
    #expect(result.status != 0, "compiles, but must not: \(name)")
    #expect(
      ["Sendable", "data race", "concurrently-executing", "async"].contains { result.output.contains($0) },
      "\(result.output)")
  }

  @Test func idsAndValuesDo() throws {
    let result = try Compiler.check(
      """
      let id = try await store.background { context in try context.insert(Thing.self).entityID }
      let names = try await store.read { context in try context.fetch(Thing.where { $0.name == "x" }).map(\\.name) }
      Task.detached { _ = id }
      _ = try await MainActor.run { try store.main.object(id)?.name }
      try await onMain(store)
      _ = names
      """, main: "let t = try store.main.insert(Thing.self); t.name = \"x\"; try await store.main.save(); _ = t.name")
    guard let result else { return }
    #expect(result.status == 0, "\(result.output)")
  }
}

/// Type-checks snippets against the modules that these tests were built with.
private enum Compiler {
  static let prelude = """
    import EntityStore
    import Observation

    final class Thing: ManagedEntity {
      struct Columns: Sendable { let name = Column<Thing, String>(0, "name") }
      static let columns: Columns = Columns()
      static let properties: [PropertyDescriptor] = [.property(\\Thing.name, columns.name)]
      let _$state: ObjectState
      private var _$$name = Slot<String>()
      init(_ state: ObjectState) { _$state = state }
      var name: String {
        get { _get(\\.name, Self.columns.name, _$$name) }
        set { _set(\\.name, Self.columns.name, _$$name, newValue) { _$$name = $0 } }
      }
      func _$load(_ row: RowReader) { _load(row, Self.columns.name, &_$$name) }
      func _$store(into row: inout RowValues) { _store(&row, Self.columns.name, _$$name) }
    }

    """

  /// `nil` where the compiler or the modules are not found; says so.
  static func check(_ code: String, main: String) throws -> (status: Int32, output: String)? {
    guard let modules = modules(), let compiler = compiler() else {
      print("Skipped: no EntityStore.swiftmodule beside the test bundle, or no swiftc in PATH.")
      return nil
    }
    // EntityStore's interface names it, though none of it is public.
    let sqlite = modules.deletingLastPathComponent().appendingPathComponent("CSQLite.build/module.modulemap")
    let folder = try TemporaryFolder()
    let source = folder.url.appendingPathComponent("snippet.swift")
    let text = """
      \(prelude)
      func snippet(_ store: EntityStore) async throws {
      \(code)
      }
      @MainActor func onMain(_ store: EntityStore) async throws {
      \(main)
      }
      """
    try Data(text.utf8).write(to: source)
    let process = Process()
    process.executableURL = compiler
    process.arguments = [
      // A full type-check: isolation by regions is found after it, so a mere -typecheck would miss it.
      "-emit-sil", "-o", "/dev/null", "-swift-version", "6", "-I", modules.path, "-Xcc",
      "-fmodule-map-file=" + sqlite.path, "-module-name", "Snippet",
      "-enable-upcoming-feature", "NonisolatedNonsendingByDefault", source.path,
    ]
    let pipe = Pipe()
    process.standardError = pipe
    process.standardOutput = pipe
    try process.run()
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: output, as: UTF8.self))
  }

  private static func modules() -> URL? {
    let bundle = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent()
    return [bundle, bundle.deletingLastPathComponent()].lazy.map { $0.appendingPathComponent("Modules") }.first {
      FileManager.default.fileExists(atPath: $0.appendingPathComponent("EntityStore.swiftmodule").path)
    }
  }

  private static func compiler() -> URL? {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    return path.split(separator: ":").lazy.map { URL(fileURLWithPath: String($0)).appendingPathComponent("swiftc") }
      .first { FileManager.default.isExecutableFile(atPath: $0.path) }
  }
}
