import Foundation
import TestSupport

/// Type-checks snippets against the modules that these tests were built with.
enum Compiler {
  /// `nil` where the compiler or the modules are not found, which it says, and under the thread sanitizer, to which the compiler is
  /// another process.
  static func check(
    _ code: String, main: String, arguments: [String] = []
  ) async throws -> (status: Int32, output: String)? {
    if Seeds.isSanitized { return nil }
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
    let command =
      [
        // A full type-check: isolation by regions is found after it, so a mere -typecheck would miss it.
        "-emit-sil", "-o", "/dev/null", "-swift-version", "6", "-I", modules.path, "-Xcc",
        "-fmodule-map-file=" + sqlite.path, "-module-name", "Snippet",
        "-enable-upcoming-feature", "NonisolatedNonsendingByDefault", source.path,
      ] + arguments
    return try await CompilerProcess.run(compiler, command, in: folder.url)
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
