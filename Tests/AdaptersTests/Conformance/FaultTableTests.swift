import EntityTesting
import Foundation
import Testing

/// The page *Faults of transports* is true.
@Suite struct FaultTableTests {
  private static let root = URL(filePath: #filePath).appending(path: "../../../..").standardized
  private let page: String

  init() throws {
    page = try String(
      contentsOf: Self.root.appending(path: "Sources/EntityTesting/EntityTesting.docc/FaultsOfTransports.md"),
      encoding: .utf8)
  }

  /// Number and last cell of each row.
  private var rows: [(number: Int, holders: String)] {
    page.split(separator: "\n").compactMap { line in
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      guard cells.count == 3, let number = Int(cells[0]) else { return nil }
      return (number, cells[2])
    }
  }

  @Test func `each fault that the table leaves to a case has that case`() {
    #expect(rows.map(\.number) == Array(1...34))
    let held = Set(AdapterDifferences.cases.flatMap(\.faults))
    #expect(Set(rows.filter { $0.holders.hasPrefix("a case") }.map(\.number)) == held)
  }

  @Test func `the suites that are printed are there`() throws {
    let folders = ["Tests", "Examples/Tests"].compactMap { folder in
      FileManager.default.enumerator(atPath: Self.root.appending(path: folder).path)
    }
    let files = folders.flatMap { $0.compactMap { $0 as? String } }
    let names = Set(files.map { URL(filePath: $0).lastPathComponent })
    for row in rows {
      for name in row.holders.matches(of: /`(\w+Tests)`/) { #expect(names.contains("\(name.1).swift"), "\(name.1)") }
    }
  }

  /// To print it anew: `AdapterDifferences.table`.
  @Test func `the table on the page is the table of the tests`() {
    #expect(page.hasSuffix("\n" + AdapterDifferences.table + "\n"))
  }
}
