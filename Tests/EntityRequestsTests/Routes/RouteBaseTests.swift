import EntityClient
import Foundation
import Testing

/// The base URL of routes.
@Suite struct RouteBaseTests {
  private let table: RouteTable<String>
  init() throws { table = try RouteTable(patterns: ["x", "test", "a/b", "*/*", "**"]) }

  @Test(arguments: ["https://h/v1", "https://h/v1/"])
  func `Defect D2: a base path ends where a component ends`(_ base: String) throws {
    #expect(try table.value("https://h/v1/x", base: base) == "x")
    #expect(try table.value("https://h/v10/x", base: base) == nil)
    #expect(try table.value("https://h/v", base: base) == nil)
    #expect(try table.value("https://h/", base: base) == nil)
    #expect(try table.value("https://h/V1/x", base: base) == nil)
    #expect(try table.value("https://h/x/v1", base: base) == nil)
  }

  @Test func `Defect D10: the base path of an absolute URL is taken off, however its slashes are written`() throws {
    for base in ["https://api.example.com/v3", "https://api.example.com/v3/", "https://api.example.com//v3//"] {
      for url in ["https://api.example.com/v3/test", "https://api.example.com/v3/test/?a=/b#c"] {
        #expect(try table.value(url, base: base) == "test")
      }
    }
    #expect(try table.value("https://h/a/b/test", base: "https://h/a/b") == "test")
    #expect(try table.value("https://h/v3/v3/test", base: "https://h/v3") == "*/*")
  }

  @Test func `Defect D2: %2F separates no components, in a base path neither`() throws {
    #expect(try table.value("https://h/v1/a%2Fb", base: "https://h/v1") == "**")
    #expect(try table.value("https://h/a%2Fb/x", base: "https://h/a/b") == nil)
    #expect(try table.value("https://h/a%2fb/x", base: "https://h/a%2Fb") == "x")
  }

  @Test func `a URL of another origin has no route`() throws {
    let base = "https://h/v1"
    #expect(try table.value("https://other/v1/x", base: base) == nil)
    #expect(try table.value("http://h/v1/x", base: base) == nil)
    #expect(try table.value("https://h:8443/v1/x", base: base) == nil)
    #expect(try table.value("https://H:443/v1/x", base: base) == "x")
  }
}
