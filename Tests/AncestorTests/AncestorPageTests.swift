import Foundation
import Testing

/// `docs/ancestors.md` has a row for each feature, and names tests that are there.
@Suite struct AncestorPageTests {
  private static let tests = URL(filePath: #filePath).deletingLastPathComponent()

  /// The rows of the tables, by the number of the feature.
  private static func rows() throws -> [String: String] {
    let page = tests.deletingLastPathComponent().deletingLastPathComponent().appending(path: "docs/ancestors.md")
    let rows = try String(contentsOf: page, encoding: .utf8).split(separator: "\n").compactMap { line in
      line.prefixMatch(of: /\| ([NOSF]\d+) \|/).map { (String($0.1), String(line)) }
    }
    return Dictionary(uniqueKeysWithValues: rows)
  }

  /// The names of all tests of this target.
  private static func names() throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: tests.path).filter { $0.hasSuffix(".swift") }
      .map { tests.appending(path: $0) }
      .flatMap { file in
        try String(contentsOf: file, encoding: .utf8).matches(of: /func `([^`]+)`/).map { String($0.1) }
      }
  }

  @Test(arguments: [("N", 14), ("O", 14), ("S", 6), ("F", 10)])
  func `each feature has a row`(letter: String, count: Int) throws {
    let rows = try Self.rows()
    for number in 1...count { #expect(rows["\(letter)\(number)"] != nil, "\(letter)\(number)") }
    #expect(rows.keys.filter { $0.hasPrefix(letter) }.count == count)
  }

  @Test func `the tests that rows name are there`() throws {
    let names = try Self.names()
    for (feature, row) in try Self.rows() {
      let prose = row.replacing(/`[^`]*`/, with: "")
      for name in prose.matches(of: /"([^"]+)"/).map({ String($0.1) }) {
        #expect(names.contains { $0 == name || $0.hasPrefix("\(name):") }, "\(feature) names \"\(name)\"")
      }
    }
  }
}
