import Testing

/// The plugin as the library that scripts load into the compiler, on the swift-syntax of the toolchain.
@Suite struct LibraryTests {
  private static var misuses: [DiagnosticTests.Misuse] {
    [
      DiagnosticTests.classes, DiagnosticTests.kinds, DiagnosticTests.left, DiagnosticTests.names, DiagnosticTests.uids,
      DiagnosticTests.relationships, DiagnosticTests.defaults, DiagnosticTests.formerNames,
      DiagnosticTests.availability,
    ].flatMap { $0 }
      // Within another type there is none.
      .filter { !$0.source.contains("extension") }
  }

  /// Each misuse is told: a fault in the making of a fix-it would end the compiler.
  @Test func `the library reports each misuse`() async throws {
    guard let library = Compiler.library else {
      return print("Skipped: ENTITYCLIENT_PLUGIN names no library.")
    }
    // Types that are not there are errors, too, of the compiler.
    let code = Self.misuses.enumerated().map { number, misuse in
      "enum Misuse\(number) {\n\(misuse.source.replacing("▸", with: ""))\n}"
    }
    guard
      let found = try await Compiler.check(
        ["Misuses": "import EntityClient\n" + code.joined(separator: "\n")], plugin: library)
    else { return }
    let told = Set(found.map { $0.message.replacing(#/ \(from macro '\w+ *'\)/#, with: "") })
    let missing = Set(Self.misuses.filter { $0.fix != nil }.map(\.message)).subtracting(told)
    #expect(missing.isEmpty, "\(found.filter { $0.file == nil })")
  }
}
