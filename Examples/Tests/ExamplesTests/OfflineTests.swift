import Adapters
import EntityClient
import EntityTesting
import Foundation
import OfflineSample
import SampleSchema
import SampleServer
import Testing

/// The demonstration `--offline` without its processes. A copy of the files is what a kill leaves.
@Suite struct OfflineTests {
  private func client(_ folder: borrowing TemporaryFolder, _ url: URL) throws -> Client {
    try Client(adapter: CurlAdapter(), store: folder.store(), baseURL: url)
  }

  @Test @MainActor func `changes of an app that was killed in the middle of a send arrive once`() async throws {
    let server = SampleServer(userCount: 6)
    let url = try await server.start()
    let folder = try TemporaryFolder()
    let client = try client(folder, url)
    try await Client.withClient(client) { _ = try await OfflineSync.run() }
    await server.stop()

    let first = Transcript()
    let app = try OfflineApp(client) { first.lines.append($0) }
    try app.edit()
    try await app.tryOnce()
    #expect(first.lines.last == "The outbox tries to send: 0 sent, 6 left.")
    try await app.showPlan()
    let head = "6 changes wait:\nnot started: call start() or send()\npaused: offline, 1 failure\n"
    #expect(first.lines.last?.hasPrefix(head) == true)
    #expect(first.lines.last?.contains("POST    comments  text, post, author ‹2›") == true)

    let requests = server.holdAnswers()
    _ = try await server.start(on: UInt16(url.port ?? 0))
    let sending = Task { try await app.tryOnce() }
    for await _ in requests.prefix(4) {}
    let copy = try folder.copied()
    sending.cancel()
    _ = await sending.result
    server.releaseAnswers()

    try await launchAgain(copy, url)
    #expect(server.log.count("POST", "/users") == 1)
    #expect(server.log.count("POST", "/posts/1/comments") == 1)
    #expect(server.log.count("PATCH", "/users/1") == 2)
    #expect(server.log.count("DELETE", "/users/4") == 2)
    await server.stop()
  }

  @MainActor private func launchAgain(_ folder: borrowing TemporaryFolder, _ url: URL) async throws {
    let client = try client(folder, url)
    let shown = Transcript()
    let app = try OfflineApp(client, clock: VirtualClock(advancesByItself: true)) { shown.lines.append($0) }
    try await app.showPlan()
    let plan = try #require(shown.lines.last)
    #expect(plan.hasPrefix("6 changes wait:\n"))
    #expect(plan.contains("asks for the object, because the answer was lost"))
    #expect(plan.matches(of: /sent again, because the answer was lost/).count == 3)

    try await app.send()
    // A refusal with 422 has a second try. The other changes go beside it, in any order.
    #expect(shown.lines.count { $0 == "PATCH \(url)users/2: refused 422" } == 2)
    #expect(shown.lines.contains("POST \(url)posts/1/comments: done 201"))
    try await app.showPlan()
    let left =
      "1 change waits:\nnot started: call start() or send()\n-  PATCH  users/2  email  refused 422 by the server"
    #expect(shown.lines.last?.hasPrefix(left) == true)
    try await app.settle()
    #expect(
      shown.lines.contains("The server says: 'no.address(at)example.com' is no e-mail address: it has no @."))
    try await app.send()
    #expect(shown.lines.last == "PATCH \(url)users/2: done 200")
    try await Client.withClient(client) {
      try await OfflineSync.check()
      let store = try Client.current.store
      #expect(try store.main.fetch(User.all.sorted(by: \.uid)).map(\.uid) == [1, 2, 3, 5, 6, 7])
      let comment = try store.main.fetch(SampleSchema.Comment.where { $0.text == "Written on a train." })
      #expect(comment.map(\.author?.email) == [OfflineApp.newAddress])
    }
  }

  @MainActor private final class Transcript {
    var lines: [String] = []
  }
}

extension TemporaryFolder {
  /// A folder with the files of the store as they are now.
  fileprivate func copied() throws -> TemporaryFolder {
    let copy = try TemporaryFolder()
    for name in ["store.sqlite", "store.sqlite-wal"] {
      try FileManager.default.copyItem(at: url.appending(path: name), to: copy.url.appending(path: name))
    }
    return copy
  }
}
