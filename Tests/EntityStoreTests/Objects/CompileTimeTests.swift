import TestSupport
import Testing

/// Code that the compiler must refuse: objects that leave their context.
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
  func `objects do not leave their context`(_ number: Int) async throws {
    let (name, code) = Self.refused[number]
    let misuse = name == "main's object in background"
    let result = try await Compiler.check(
      code,
      main: misuse
        ? "let t = try store.main.insert(Thing.self); try await store.background { _ in t.name = \"x\" }" : "")
    guard let result else { return }
    #expect(result.status != 0, "compiles, but must not: \(name)")
    #expect(
      ["Sendable", "data race", "concurrently-executing", "async"].contains { result.output.contains($0) },
      "\(result.output)")
  }

  @Test func `ids and values may leave their context`() async throws {
    let result = try await Compiler.check(
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
