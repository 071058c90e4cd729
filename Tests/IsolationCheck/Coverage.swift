import Foundation

/// The public async functions of the package's sources, held against those that were called.
struct Coverage {
  private let folder: URL

  /// Called by a test runner alone, and from nowhere with an actor; and one of the main actor, which records issues of the
  /// test that runs.
  private static let others: Set<String> = [
    "ClientTrait.swift provideScope(for:testCase:performing:)",
    "MappingTest.swift expectNothingNewAgain(sourceLocation:)",
  ]

  init(_ folder: String) { self.folder = URL(fileURLWithPath: folder) }

  func check(_ report: Report) throws {
    let declared = try functions()
    guard declared.contains("EntityStore.swift background(as:_:)") else {
      return report.fail("no public async function was found in \(folder.path)")
    }
    for function in declared.subtracting(report.functions).subtracting(Self.others).sorted() {
      report.fail("\(function) is public and async, and not called here")
    }
  }

  private func functions() throws -> Set<String> {
    var found: Set<String> = []
    let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
    while let file = files?.nextObject() as? URL {
      guard file.pathExtension == "swift" else { continue }
      let text = Array(try String(contentsOf: file, encoding: .utf8).utf8)
      for name in functions(in: text) { found.insert("\(file.lastPathComponent) \(name)") }
    }
    return found
  }

  /// The names with their labels, such as `background(as:_:)`.
  private func functions(in text: [UInt8]) -> [String] {
    var names: [String] = []
    let word = Array("func ".utf8)
    for line in text.split(separator: UInt8(ascii: "\n")) {
      let isDeclaration = line.drop { $0 == UInt8(ascii: " ") }.first != UInt8(ascii: "/")
      guard isDeclaration, String(decoding: line, as: UTF8.self).contains("public "),
        let start = line.firstRange(of: word)
      else { continue }
      let nameStart = start.upperBound
      guard let open = text[nameStart...].firstIndex(of: UInt8(ascii: "(")),
        let (labels, end) = labels(of: text[open...])
      else { continue }
      let rest = String(decoding: text[end...].prefix(40), as: UTF8.self)
      guard rest.drop(while: \.isWhitespace).hasPrefix("async") else { continue }
      let name = String(decoding: text[nameStart..<open].prefix { $0 != UInt8(ascii: "<") }, as: UTF8.self)
      names.append("\(name)(\(labels.map { "\($0):" }.joined()))")
    }
    return names
  }

  /// The labels of a list of parameters that begins with its parenthesis, and where the list ends.
  private func labels(of text: ArraySlice<UInt8>) -> ([String], end: Int)? {
    var labels: [String] = []
    var depth = 0
    var label: [UInt8]? = []
    for (index, byte) in zip(text.indices, text) {
      switch byte {
      case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"), UInt8(ascii: "<"): depth += 1
      case UInt8(ascii: ">") where text[index - 1] == UInt8(ascii: "-"): break
      case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"), UInt8(ascii: ">"):
        depth -= 1
        if depth == 0 { return (labels, index + 1) }
      case UInt8(ascii: ",") where depth == 1: label = []
      case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: ":"):
        guard depth == 1, let known = label, !known.isEmpty else { break }
        labels.append(String(decoding: known, as: UTF8.self))
        label = nil
      default: if depth == 1 { label?.append(byte) }
      }
    }
    return nil
  }
}
