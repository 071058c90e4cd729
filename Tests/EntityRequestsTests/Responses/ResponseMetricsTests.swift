import EntityClient
import EntityTesting
import Foundation
import SampleSchema
import Testing

/// The measurements of a transport reach each kind of response.
@Suite(.sample) struct ResponseMetricsTests {
  private let metrics: TransferMetrics

  init() {
    var metrics = TransferMetrics()
    (metrics.isConnectionReused, metrics.firstByte) = (true, .milliseconds(80))
    self.metrics = metrics
  }

  @Test func `each response of a verb has metrics`() async throws {
    let metrics = metrics
    try StubAdapter.current.on(
      .get, "/**", .respond { _ in HTTPResponse(status: 200, body: Data("[]".utf8), metrics: metrics) })
    #expect(try await User.get().metrics == metrics)
    let client = try Client.current
    #expect(try await client.get("a", as: [Int].self).metrics == metrics)
    #expect(try await client.get("b").metrics == metrics)
    let streamed = try await StubAdapter.current.stream(client.request(.get, "c"), body: .none, progress: nil)
    #expect(streamed.metrics == metrics)
    #expect("\(metrics)" == "kept connection, first byte after 80 ms")
  }

  @Test func `a response from the store has no metrics`() async throws {
    let metrics = metrics
    try StubAdapter.current.on(
      .get, "/**",
      .respond { _ in HTTPResponse(status: 200, headers: ["ETag": "\"1\""], body: Data("[]".utf8), metrics: metrics) })
    #expect(try await User.get(options: .cache(.cacheFirst(maxAge: .seconds(36_000)))).metrics == metrics)
    #expect(try await User.get(options: .cache(.cacheFirst(maxAge: .seconds(36_000)))).metrics == nil)
  }

  @Test func `the words of metrics tell what is known`() {
    var metrics = TransferMetrics()
    #expect("\(metrics)" == "no metrics" && metrics.connecting == nil)
    metrics.total = .milliseconds(5)
    #expect("\(metrics)" == "5 ms in all")
    metrics.total = .seconds(Int64.max)
    #expect("\(metrics)" == "1000000000000000 ms in all")
    (metrics.connection, metrics.tls, metrics.firstByte) = (.milliseconds(2), .milliseconds(12), .milliseconds(80))
    metrics.isConnectionReused = false
    #expect("\(metrics)" == "new connection in 14 ms, first byte after 80 ms")
  }
}
