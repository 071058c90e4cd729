import Foundation
import TestSupport

/// Compiles snippets against the modules and the plugin that these tests were built with.
enum Compiler {
  struct Diagnosis: Hashable, CustomStringConvertible {
    /// The snippet; `nil` for an error that the compiler places in an expansion.
    let file: String?
    let line: Int
    let message: String

    var description: String { "\(file ?? "expansion"):\(line): \(message)" }
  }

  /// The settings that a user's module may have.
  static let strict = [
    "-warnings-as-errors", "-enable-upcoming-feature", "ExistentialAny", "-enable-upcoming-feature",
    "InternalImportsByDefault", "-enable-upcoming-feature", "MemberImportVisibility", "-enable-upcoming-feature",
    "NonisolatedNonsendingByDefault",
  ]

  /// The errors and warnings of a module with these files; `nil` where compiler, modules or plugin are not found; says so.
  ///
  /// - Parameters:
  ///   - isWholeModule: Whether one compiler sees all files at once; else each is the primary one of its own turn, as
  ///     `options` say.
  ///   - plugin: The options that load the macro's plugin; those for the program of this build by default.
  static func check(
    _ files: [String: String], _ options: [String] = [], isWholeModule: Bool = true, plugin: [String]? = nil
  ) async throws -> [Diagnosis]? {
    guard let products, let compiler else {
      print("Skipped: no EntityMacrosPlugin-tool beside the test bundle, or no swiftc in PATH.")
      return nil
    }
    let folder = FileManager.default.temporaryDirectory.appending(path: "entity-macros-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    var paths: [String] = []
    for (name, text) in files.sorted(by: { $0.key < $1.key }) {
      let file = folder.appending(path: "\(name).swift")
      try Data(text.utf8).write(to: file)
      paths.append(file.path)
    }
    // Isolation by regions is found after the type-check, which is why a mere -typecheck would miss it.
    let output = isWholeModule ? ["-emit-sil", "-wmo", "-o", "/dev/null"] : ["-emit-object"]
    let arguments =
      output + [
        "-parse-as-library", "-swift-version", "6", "-module-name", "Snippet",
        "-package-name", "snippet",
        "-diagnostic-style", "llvm", "-I", products.appending(path: "Modules").path,
        // The interfaces of EntityStore and Adapters name them, though none of them is public.
        "-Xcc", "-fmodule-map-file=" + products.appending(path: "CSQLite.build/module.modulemap").path,
        "-Xcc", "-fmodule-map-file=" + products.appending(path: "CCurl.build/module.modulemap").path,
      ]
      + (plugin ?? [
        "-load-plugin-executable", products.appending(path: "EntityMacrosPlugin-tool").path + "#EntityMacrosPlugin",
      ]) + options + paths
    let (status, text) = try await CompilerProcess.run(compiler, arguments, in: folder)
    let found = diagnoses(text)
    if status != 0, found.isEmpty {
      return [Diagnosis(file: nil, line: 0, message: text)]
    }
    return found
  }

  private static func diagnoses(_ output: String) -> [Diagnosis] {
    output.split(separator: "\n").compactMap { line in
      guard
        let match = line.wholeMatch(of: /(?<place>.+?):(?<line>\d+):\d+: (?:error|warning): (?<message>.*)/),
        let number = Int(match.line)
      else { return nil }
      let file = URL(filePath: String(match.place)).deletingPathExtension().lastPathComponent
      return Diagnosis(
        file: file.hasPrefix("@__swiftmacro") ? nil : file, line: number, message: String(match.message))
    }
  }

  /// The folder of the build that the test bundle is in.
  private static var products: URL? {
    let bundle = URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent()
    return [bundle, bundle.deletingLastPathComponent()].first {
      FileManager.default.fileExists(atPath: $0.appending(path: "EntityMacrosPlugin-tool").path)
    }
  }

  /// The options that load the plugin as the library that `scripts/test` built; `nil` where the toolchain has none of what
  /// that takes.
  static var library: [String]? {
    let parts = ProcessInfo.processInfo.environment["ENTITYCLIENT_PLUGIN"]?.split(separator: "=", maxSplits: 1) ?? []
    return parts.first == "-load-plugin-library" ? parts.map { String($0) } : nil
  }

  private static var compiler: URL? {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    return path.split(separator: ":").lazy.map { URL(filePath: String($0)).appending(path: "swiftc") }
      .first { FileManager.default.isExecutableFile(atPath: $0.path) }
  }
}
