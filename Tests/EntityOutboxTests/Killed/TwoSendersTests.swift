import EntityClient
import Foundation
import TestSupport
import Testing

@testable import EntityOutbox

/// Two living processes of an app with one file.
@Suite(
  .enabled(if: KilledWorker.program != nil, "the tests are no program that can be started again"),
  .timeLimit(.minutes(5)))
struct TwoSendersTests {
  @Test func `the process that sends hears of what another one saves, and the other one sends nothing`() async throws {
    let folder = try TestFolder()
    let file = folder.file("a.sqlite")
    let (program, server) = (try #require(KilledWorker.program), ShopServer())
    let store = try EntityStore(.file(file), entities: killedEntities)
    let outbox = try Outbox(try Client(adapter: server, store: store, baseURL: "https://api.example.com/"))
    try await store.background { try $0.insert(Receipt.self).token = "first" }
    // The first request takes the role.
    try await outbox.send()
    outbox.start()
    // The thread waits for the other process.
    let requests = try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread {
        continuation.resume(with: Result { try Self.serve(program, file, server, outbox) })
      }
    }
    #expect(requests == [])
    #expect(server.log == ["POST receipts", "POST slips", "POST bills"])
    #expect(try await store.pending.changes().isEmpty)
  }

  /// Runs the other process to its end.
  ///
  /// - Returns: The requests that it sent.
  private static func serve(_ program: String, _ file: URL, _ server: ShopServer, _ outbox: Outbox) throws -> [String] {
    let suite = String(reflecting: OtherSenderTests.self).replacing(".", with: #"\."#)
    let child = try ChildProcess(
      "/usr/bin/env",
      [
        "\(OtherSender.variable)=\(file.path)", program, "--testing-library", "swift-testing", "--filter",
        "\(suite)/",
      ])
    var requests: [String] = []
    while true {
      let line = child.nextLine()
      guard line.last == "\n" else { return requests }
      guard line.hasPrefix(PipeAdapter.mark) else { continue }
      let said = try JSONValue(parsing: Data(line.dropFirst(PipeAdapter.mark.count).utf8))
      if let method = said["method"]?.string { requests.append("\(method) \(said["path"]?.string ?? "")") }
      switch said["wish"]?.string {
      case "offline": server.setOffline(true)
      case "online":
        server.setOffline(false)
        outbox.start()
      default: break
      }
      guard let number = said["number"]?.int else { continue }
      let answer = JSONObject(["number": JSONValue(number), "status": JSONValue(500)]).value
      try child.write(line: String(decoding: answer.rawBytes, as: UTF8.self))
    }
  }
}

/// The process beside that of ``TwoSendersTests``: no test by itself.
@Suite(.enabled(if: OtherSender.file != nil, "this process is no worker"), .timeLimit(.minutes(5)))
struct OtherSenderTests {
  @Test func work() async throws {
    let adapter = PipeAdapter()
    let store = try EntityStore(.file(URL(filePath: try #require(OtherSender.file))), entities: killedEntities)
    let outbox = try Outbox(try Client(adapter: adapter, store: store, baseURL: "https://api.example.com/"))
    outbox.start()
    try await store.background { try $0.insert(Slip.self).token = "second" }
    for try await changes in store.pending.updates() where try changes.get().isEmpty { break }
    // Now the other process can't send, so that this one tries.
    _ = try await adapter.ask(["wish": "offline"])
    try await store.background { try $0.insert(Bill.self).token = "third" }
    try await outbox.settled { $0.pause == .otherSender && $0.count == 1 }
    _ = try await adapter.ask(["wish": "online"])
    for try await changes in store.pending.updates() where try changes.get().isEmpty { break }
  }
}

private enum OtherSender {
  /// The name of a variable with the path of the file.
  static let variable = "ENTITYCLIENT_OUTBOX_OTHER"
  static let file = ProcessInfo.processInfo.environment[variable]
}
