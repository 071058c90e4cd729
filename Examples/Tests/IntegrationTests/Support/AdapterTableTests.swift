import Foundation
import Testing

/// The page *Faults of transports* is true, of the servers of others too. It needs no server.
@Suite struct AdapterTableTests {
  #if canImport(FoundationNetworking)
    /// To print it anew: `AdapterUnderTest.table`. Its last column is that of Linux.
    @Test func `the table on the page is the table of the tests`() throws {
      var root = URL(filePath: #filePath)
      for _ in 0..<5 { root.deleteLastPathComponent() }
      let file = root.appending(path: "Sources/EntityTesting/EntityTesting.docc/FaultsOfTransports.md")
      let page = try String(contentsOf: file, encoding: .utf8)
      #expect(page.contains("\n\n\(AdapterUnderTest.table)\n\n"))
    }
  #endif
}
