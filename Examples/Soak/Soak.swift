import Adapters
import ArgumentParser
import EntityClient
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@main
struct Soak: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "soak",
    abstract: "Holds many requests at once against a server that answers well and badly, and says what became of them.",
    discussion: """
      Half of the time goes through CurlAdapter, and half through its standard chain. The run fails where a request is \
      lost, ends in another way than the server was asked for, or where files, threads or memory are left over.
      """)

  @Option(help: "The URL of the server.")
  var server: String

  @Option(help: "How long requests are sent, in seconds.")
  var seconds = 20.0

  @Option(help: "How many requests are under way at once.")
  var concurrent = 1_000

  @Option(help: "Makes the same requests as another run with the seed; by default a random one.")
  var seed = UInt64.random(in: 0..<1_000_000)

  @Option(help: "How many seconds the last requests may take after the time is over, before they count as lost.")
  var grace = 60.0

  func validate() throws {
    guard seconds > 0, concurrent > 0, grace > 0 else { throw ValidationError("Give numbers above 0.") }
  }

  func run() async throws {
    guard let base = URL(string: server) else { throw ValidationError("The URL of the server is none.") }
    print("\(concurrent) requests at once for \(seconds) s, seed \(seed)")
    var configuration = CurlAdapter.Configuration()
    configuration.connectionsPerHost = concurrent
    let adapter = CurlAdapter(configuration)
    // The threads that stay are there from now on.
    _ = try await adapter.send(URLRequest(url: base.appending(path: "ok/1/20")), body: .none, progress: nil)
    let before = Footprint.now
    var faults: [String] = []
    for (name, storm) in [
      ("CurlAdapter", adapter as any RequestAdapter), ("CurlAdapter.standard()", adapter.standard()),
    ] {
      let tally = Tally()
      let storm = Storm(
        name: name, adapter: storm, isChained: name != "CurlAdapter", base: base, concurrent: concurrent,
        time: .seconds(seconds / 2), seed: seed)
      let peaks = await storm.run(tally, settledAfter: 10_000, grace: .seconds(grace))
      let report = await Report(name, tally, before, peaks, after: Report.settledFootprint(below: before))
      print(report.text)
      faults += report.faults
    }
    for fault in faults.prefix(20) { print("fault: \(fault)") }
    if !faults.isEmpty {
      print("\(faults.count) faults")
      throw ExitCode.failure
    }
  }
}
