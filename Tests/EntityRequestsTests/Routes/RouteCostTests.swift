import EntityClient
import Foundation
import Testing

/// The cost of a search: each component of each pattern is compared once at most, whatever the path is. The tests count
/// comparisons, and measure no time.
@Suite struct RouteCostTests {
  private func comparisons(_ patterns: [String], _ path: String) throws -> Int {
    try RouteTable(patterns: patterns).explain(RouteKey(.get, RoutePath(path), status: 200)).comparisons
  }

  /// Each of 3⁶ patterns goes its own way through the path, and all of them end at its last component.
  @Test func `a path that fits each branch up to its end costs no more than the table`() throws {
    var patterns = [""]
    for _ in 0..<6 { patterns = patterns.flatMap { pattern in ["1/", "#/", "*/"].map { pattern + $0 } } }
    #expect(patterns.count == 729)
    let path = Array(repeating: "1", count: 6).joined(separator: "/")
    #expect(try comparisons(patterns.map { $0 + "end" }, path + "/other") == 729 * 7)
    #expect(try comparisons(patterns.map { $0 + "end" }, path) == 729 * 6)
    #expect(try comparisons(patterns.map { $0 + "**" }, path + "/1/1/1") == 7)
  }

  @Test func `a long path costs no more than a short path`() throws {
    let patterns = ["*/*/*", "*/#/**", "a/**", "**", "#/#/#/#"]
    let short = try comparisons(patterns, "1/1/1/x")
    let long = try comparisons(patterns, "1/1/1/x" + String(repeating: "/1", count: 100_000))
    #expect(short == long)
    #expect(try comparisons(patterns, String(repeating: "/", count: 1_000_000)) == 0)
  }

  @Test func `a long pattern is read and compared`() throws {
    let stars = Array(repeating: "*", count: 50_000).joined(separator: "/")
    let path = Array(repeating: "a", count: 50_000).joined(separator: "/")
    #expect(try comparisons([stars, stars + "/b"], path + "/c") == 100_001)
    #expect(try PathPattern(stars).match(path)?.unnamed.count == 50_000)
  }
}
