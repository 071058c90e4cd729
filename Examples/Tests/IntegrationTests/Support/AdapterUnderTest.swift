import Adapters
import EntityClient
import EntityTesting
import Foundation
import SessionAdapter
import Testing

/// The adapters that httpbin, nginx and the server of HTTP/2 are asked with.
enum AdapterUnderTest: CaseIterable, CustomTestStringConvertible {
  case curl, standard, session

  /// Foundation is not built for the thread sanitizer, which sees none of the order that its queues keep.
  static let all = allCases.filter { $0 != .session || ProcessInfo.processInfo.environment["ENTITYCLIENT_TSAN"] == nil }

  /// Those that take a certificate's authority, and a client's certificate.
  static let overCurl = allCases.filter { !$0.differs(in: .authorities) }

  /// A case in which adapters are known to differ. Each test with two outcomes asks for one of these.
  enum Case: String, CaseIterable {
    case redirects = "httpbin, nginx: a redirect is a response, and is not followed"
    case passingStatuses = "httpbin: 429 and 503 are the response to one request"
    case codings = "httpbin, nginx: a coded body is decoded"
    case chunkedUploads = "nginx: an upload without a length is sent in chunks"
    case authorities = "nginx: an authority of one's own is trusted, and the client shows a certificate"
    case http2 = "HTTP/2: the cases of `HTTP2Tests`"
  }

  struct Difference {
    let name: Case
    let reason: String
    /// The tests do not run the case; else they hold what the adapter does instead.
    var isNotRun = false
  }

  /// The one place for what an adapter does otherwise. The table on the page *Faults of transports* is made from it.
  var differences: [Difference] {
    switch self {
    case .curl: []
    case .standard:
      [
        Difference(name: .redirects, reason: "It follows redirects."),
        Difference(name: .passingStatuses, reason: "It sends a GET again, and hands over the last response."),
      ]
    case .session: Self.systems
    }
  }

  private static let systems: [Difference] = {
    let trust =
      "Its authorities are the system's, and it has no certificate: the server is refused with an error of TLS."
    var differences = [
      Difference(name: .chunkedUploads, reason: "It reads a stream to its end, and sends it with its length."),
      Difference(name: .authorities, reason: trust),
      Difference(name: .http2, reason: trust, isNotRun: true),
    ]
    #if canImport(FoundationNetworking)
      differences.insert(
        Difference(name: .codings, reason: "It asks for none, and a coded body is an error of kind `badResponse`."),
        at: 0)
    #endif
    return differences
  }()

  func differs(in name: Case) -> Bool { differences.contains { $0.name == name } }

  /// - Parameters:
  ///   - configuration: The settings of libcurl's adapter.
  ///   - chain: The parts of the chain; by default a wait takes no time.
  func adapter(
    _ configuration: CurlAdapter.Configuration = .init(), _ chain: StandardChain = .withoutWaits()
  ) -> any RequestAdapter {
    switch self {
    case .curl: CurlAdapter(configuration)
    case .standard: CurlAdapter(configuration).standard(chain)
    case .session: URLSessionAdapter()
    }
  }

  /// With redirects followed: by its own part, or by the decorator.
  func followingRedirects() -> any RequestAdapter {
    differs(in: .redirects) ? adapter() : adapter().followingRedirects()
  }

  /// With requests sent again, after waits that take their time: by its own part, or by the decorator.
  func retrying(_ policy: RetryPolicy) -> any RequestAdapter {
    guard differs(in: .passingStatuses) else { return adapter().retrying(policy) }
    var chain = StandardChain()
    chain.retry = policy
    return adapter(.init(), chain)
  }

  var testDescription: String {
    switch self {
    case .curl: "CurlAdapter"
    case .standard: "standard()"
    case .session: "URLSessionAdapter"
    }
  }

  /// The table of cases and adapters, as the page has it.
  static var table: String {
    var reasons: [String] = []
    var lines = [
      "| case | " + allCases.map { "`\($0.testDescription)`" }.joined(separator: " | ") + " |",
      "|" + String(repeating: " --- |", count: allCases.count + 1),
    ]
    for name in Case.allCases {
      let cells = allCases.map { adapter -> String in
        guard let difference = adapter.differences.first(where: { $0.name == name }) else { return "yes" }
        if !reasons.contains(difference.reason) { reasons.append(difference.reason) }
        let number = (reasons.firstIndex(of: difference.reason) ?? 0) + 1
        return "\(difference.isNotRun ? "not run" : "no") (\(number))"
      }
      lines.append("| \(name.rawValue) | " + cells.joined(separator: " | ") + " |")
    }
    return (lines + [""] + reasons.enumerated().map { "\($0.offset + 1). \($0.element)" }).joined(separator: "\n")
  }
}

extension StandardChain {
  static func withoutWaits(_ clock: VirtualClock = VirtualClock(advancesByItself: true)) -> StandardChain {
    var chain = StandardChain()
    chain.clock = clock
    return chain
  }
}
