import Foundation
import Testing

/// The code in the documents compiles: each block says where it stands, as a whole file or a part of one, or that the
/// tests of the macro compile it by itself. And the files that the documents name exist.
@Suite struct DocumentTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// The README, the longer texts, and the articles of each module.
  private static let documents: [String] =
    ["README.md"] + files(in: "docs").filter { $0.hasSuffix(".md") && !$0.hasPrefix("docs/decisions/") }
    + files(in: "Sources").filter { $0.hasSuffix(".md") }

  /// The texts for those who change the package. They print no Swift that is built.
  private static let internals: [String] =
    ["ARCHITECTURE.md", "CONTRIBUTING.md"] + files(in: "docs/decisions")

  /// The paths of all files in a folder, from the root.
  private static func files(in folder: String) -> [String] {
    let paths = FileManager.default.enumerator(atPath: root.appending(path: folder).path)?.compactMap { $0 as? String }
    return (paths ?? []).map { "\(folder)/\($0)" }.sorted()
  }

  private static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  /// The blocks of Swift in a document, each with the line before it.
  private static func blocks(_ document: String) throws -> [(marker: String, code: String)] {
    var blocks: [(marker: String, code: String)] = []
    var before = ""
    var code: String?
    for line in try text(document).split(separator: "\n", omittingEmptySubsequences: false) {
      if let lines = code {
        if line == "```" {
          blocks.append((before, lines))
          code = nil
        } else {
          code = lines + line + "\n"
        }
      } else if line == "```swift" {
        code = ""
      } else {
        before = String(line)
      }
    }
    return blocks
  }

  @Test(arguments: documents) func `a printed sample equals the built file`(_ document: String) throws {
    for (marker, code) in try Self.blocks(document) {
      guard let match = marker.wholeMatch(of: /<!-- (sample|part of): (\S+) -->/) else { continue }
      let file = try Self.text(String(match.2))
      if match.1 == "sample" {
        #expect(code == file, "\(document) prints another \(match.2)")
      } else {
        #expect(("\n" + file).contains("\n" + code), "\(document) prints what is not in \(match.2)")
      }
    }
  }

  @Test(arguments: documents) func `every block is compiled`(_ document: String) throws {
    let unmarked = try Self.blocks(document).filter {
      $0.marker.wholeMatch(of: /<!-- (compiled|(sample|part of): \S+) -->/) == nil
    }
    #expect(unmarked.map(\.code) == [])
  }

  /// A call in a sentence, of a type or a value and with several labels, stands in code that is built, too: the order of labels is
  /// easily wrong. One with `…` is none.
  @Test(arguments: documents) func `a call within a sentence of a document is built`(_ document: String) throws {
    let built = try Self.built.get()
    let prose = try Self.text(document).replacing(/(?s)```.*?```/, with: "")
    let calls = prose.matches(of: /`([A-Za-z]\w*(?:\.\w+)*\([^`…]*\w+: [^`…]*, \w+: [^`…]*\))`/).map { String($0.1) }
    #expect(calls.filter { !built.contains($0.split(whereSeparator: \.isWhitespace).joined(separator: " ")) } == [])
  }

  /// A sentence calls no function of a value that its type does not have: `store.removeAll()` is easily written.
  @Test(arguments: documents) func `a function that a sentence names is there`(_ document: String) throws {
    let prose = try Self.text(document).replacing(/(?s)```.*?```/, with: "")
    let calls = prose.matches(of: /`[^`\n]*?\b(store|client|context|outbox|stub)\.(\w+)\(/).map { ($0.1, $0.2) }
    let types: [Substring: String] = [
      "store": "EntityStore", "client": "Client", "context": "EntityContext", "outbox": "Outbox", "stub": "StubAdapter",
    ]
    let functions = try Self.functions.get()
    let names = calls.map { (call: "\($0).\($1)", declaration: "\(types[$0] ?? "").\($1)") }
    #expect(names.filter { !functions.contains($0.declaration) }.map(\.call) == [])
  }

  /// The public functions, `EntityStore.read`, from the lists of what is public.
  private static let functions = Result {
    try files(in: "docs/api").filter { $0.hasSuffix(".txt") }.reduce(into: Set<String>()) { names, file in
      for match in try text(file).matches(of: /(?m)^(\w+\.\w+)\(/) { names.insert(String(match.1)) }
    }
  }

  /// All files of Swift and all blocks of the documents.
  private static let built = Result {
    let paths = ["Sources", "Tests", "SampleSchema", "Examples"].flatMap { files(in: $0) }.filter {
      $0.hasSuffix(".swift") && !$0.contains("/.build/")
    }
    let code = try paths.map { try text($0) } + documents.flatMap { try blocks($0).map(\.code) }
    return code.joined(separator: "\n").split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  @Test(arguments: documents + internals) func `links lead to files`(_ document: String) throws {
    let folder = Self.root.appending(path: document).deletingLastPathComponent()
    for match in try Self.text(document).matches(of: /\]\(([^)#:]+)(?:#[^)]*)?\)/) {
      #expect(FileManager.default.fileExists(atPath: folder.appending(path: String(match.1)).path), "\(match.1)")
    }
  }

  /// A file is named by its whole path: from the root, from `Sources`, or from the folder of a module.
  @Test(arguments: internals) func `files that are named are there`(_ document: String) throws {
    let folders = [
      "Sources", "Tests", "SampleSchema", "Examples", "Benchmarks/Sources", "Fuzzing", "Tools/Sources", "scripts",
    ]
    let paths = ["Package.swift"] + folders.flatMap { Self.files(in: $0) }
    let fromModules = paths.filter { $0.hasPrefix("Sources/") }.flatMap { path in
      let parts = path.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: true)
      return [parts.dropFirst().joined(separator: "/")] + (parts.count == 3 ? [String(parts[2])] : [])
    }
    let known = Set(paths + fromModules)
    let names = try Self.text(document).matches(of: /`([\w+.\/-]+\.(?:swift|c|cpp|h|sh|py))`/).map { String($0.1) }
    #expect(names.filter { !known.contains($0) } == [], "\(document) names files that are not there")
  }
}
