import Adapters
import EntityRequests
import EntityTesting
import Synchronization
import Testing
import HTTPFoundation

/// The whole suite over libcurl's adapter and the decorators; the page of the table has their differences.
@Suite(.untilItHangs) struct HostileConformanceTests {
  @Test(arguments: ConformanceCase.hostile)
  func `libcurl's adapter holds`(_ one: ConformanceCase) async throws {
    try await one.check(CurlAdapter(), except: AdapterDifferences.curl)
  }

  @Test(arguments: AdapterDifferences.cases)
  func `the standard chain holds`(_ one: ConformanceCase) async throws {
    var chain = StandardChain()
    chain.clock = VirtualClock(advancesByItself: true)
    chain.requestsPerHost = 200
    chain.log = { _ in }
    try await one.check(CurlAdapter().standard(chain), except: AdapterDifferences.chain)
  }

  @Test(arguments: ConformanceCase.hostile)
  func `a decorator holds as the adapter in it does`(_ one: ConformanceCase) async throws {
    try await one.check(CurlAdapter().modifying { _ in }, except: AdapterDifferences.curl)
  }

  @Test(arguments: AdapterDifferences.cases)
  func `an adapter with faults at no request holds`(_ one: ConformanceCase) async throws {
    try await one.check(FaultAdapter(CurlAdapter()), except: AdapterDifferences.curl)
  }

  @Test(arguments: AdapterDifferences.cases)
  func `an adapter that records holds`(_ one: ConformanceCase) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "recording-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let recording = try RecordingAdapter(
      "one", around: CurlAdapter(), mode: .record, file: folder.appending(path: "Tests.swift").path)
    try await one.check(recording, except: AdapterDifferences.recording)
  }

  @Test(
    arguments: ConformanceCase.hostile.filter { !$0.name.contains("cancelled") && !$0.name.hasPrefix("line breaks") })
  func `an adapter that sends nothing fails each case`(_ one: ConformanceCase) async throws {
    try await withKnownIssue {
      try await one.check(CountingAdapter())
    } matching: {
      // A case that hangs, or has no server, tells nothing of its adapter.
      !($0.error is ConformanceHang) && !($0.error is SocketError)
    }
  }

  @Test func `each case has a name of its own`() {
    let names = AdapterDifferences.cases.map(\.name)
    #expect(Set(names).count == names.count)
  }

  @Test func `a case that is known to fail and passes is reported`() async throws {
    let one = try #require(ConformanceCase.all.first)
    let difference = ConformanceDifference(one.name, because: "It does not.")
    await withKnownIssue { try await one.check(CurlAdapter(), except: [difference]) }
  }

  @Test func `a difference that shows only sometimes may pass and fail`() async throws {
    let one = try #require(ConformanceCase.all.first)
    let difference = ConformanceDifference(one.name, because: "It depends.", .sometimes)
    try await one.check(CurlAdapter(), except: [difference])
    try await one.check(CountingAdapter(), except: [difference])
    #expect(
      ConformanceCase.table([one], of: ["One": [difference]]) == """
        | fault | case | One |
        | --- | --- | --- |
        |  | \(one.name) | at times (1) |

        1. It depends.
        """)
  }

  @Test func `a case that must not run does not run`() async throws {
    let one = try #require(ConformanceCase.all.first)
    let counting = CountingAdapter()
    try await one.check(counting, except: [ConformanceDifference(one.name, because: "It ends the process.", .notRun)])
    #expect(counting.count == 0)
  }

  @Test func `the table says where an adapter differs`() throws {
    let cases = ConformanceCase.all.filter { $0.name.hasPrefix("a redirect") || $0.name.hasPrefix("header fields are") }
    let table = ConformanceCase.table(
      cases,
      of: [
        "One|1": [],
        "Two": [
          ConformanceDifference("a redirect is a response, and is not followed", because: "It follows\nredirects."),
          ConformanceDifference("no case", because: "None."),
        ],
      ])
    #expect(
      table == """
        | fault | case | One\\|1 | Two |
        | --- | --- | --- | --- |
        |  | header fields are sent | yes | yes |
        | 21 | a redirect is a response, and is not followed | yes | no (1) |

        1. It follows redirects.
        2. Unknown: Two names the case "no case".
        """)
  }
}

/// It counts, and sends nothing.
private final class CountingAdapter: RequestAdapter {
  private let calls = Mutex(0)
  var count: Int { calls.withLock { $0 } }

  @concurrent func send(
    _ request: URLRequest, body: RequestBody, progress: TransferProgressHandler?
  ) async throws -> HTTPResponse {
    calls.withLock { $0 += 1 }
    return HTTPResponse(status: 204)
  }
}
