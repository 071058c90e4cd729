import ArgumentParser
import EntityClient
import Foundation
import OfflineSample
import SampleSchema
import SampleServer

/// An app edits without a server, is killed in the middle of a send, starts again, and sends. This process has the
/// server, and starts, kills and starts the app.
struct Offline {
  private let server: SampleServer
  private let file: StoreFile

  init(_ server: SampleServer, _ file: StoreFile) { (self.server, self.file) = (server, file) }

  @MainActor func run() async throws {
    do {
      try await show()
    } catch {
      await server.stop()
      throw error
    }
    await server.stop()
  }

  @MainActor private func show() async throws {
    let url = try await server.start()
    let store = try EntityStore(.file(file.url), entities: sampleEntities)
    try SampleApp.install(store, url.absoluteString)
    try await OfflineSync.run()
    say(
      "\(try store.main.count(User.all)) users, \(try store.main.count(Post.all)) posts and "
        + "\(try store.main.count(Comment.all)) comments are in \(file.path). Now the server stops.")
    await server.stop()

    let first = try RunningApp(["launch", file.path, url.absoluteString, "--edit"], readsLines: true)
    say("Launch 1 (process \(first.pid)), without a server:")
    var hasEdited = false
    for await line in first.lines {
      show(line)
      hasEdited = line == Launch.triesOn
      if hasEdited { break }
    }
    guard hasEdited else { throw OfflineError.differs("Launch 1 ended before it was killed; see above.") }
    try await kill(first, url)

    let second = try RunningApp(["launch", file.path, url.absoluteString], readsLines: true)
    say("Launch 2 (process \(second.pid)), with a clock that runs 20 times as fast:")
    for await line in second.lines { show(line) }
    let end = await second.end
    guard end.status == 0 else { throw OfflineError.differs("Launch 2 failed with status \(end.status); see above.") }

    try await OfflineSync.check()
    try checkRequests()
    say("The server's rows and those of the file are the same:")
    print(Table(try store.main.fetch(User.all.sorted(by: \.uid).limited(to: 8))))
  }

  /// Has the server back, which does what it is asked and does not answer, and kills the app while it waits for answers.
  @MainActor private func kill(_ app: RunningApp, _ url: URL) async throws {
    server.resetLog()
    let requests = server.holdAnswers()
    _ = try await server.start(on: UInt16(url.port ?? 0))
    say("The server is there again, and its answers get lost:")
    let showing = Task { @MainActor in for await line in app.lines { show(line) } }
    // So many requests are under way at once.
    for await _ in requests.prefix(4) {}
    app.forceEnd()
    guard await app.end.wasKilled else { throw OfflineError.differs("Launch 1 ended before it was killed; see above.") }
    await showing.value
    say("Process \(app.pid) is killed in the middle of its send. The server did 4 requests, and answered none.")
    server.releaseAnswers()
  }

  /// Shows that each object was created once.
  @MainActor private func checkRequests() throws {
    let counts = server.log.counts.filter { !$0.key.hasPrefix("GET") }.sorted { $0.key < $1.key }
    say("The requests that changed something, with how often the server had them:")
    for (request, count) in counts { print("\(count) × \(request)") }
    guard counts.filter({ $0.key.hasPrefix("POST") }).allSatisfy({ $0.value == 1 }) else {
      throw OfflineError.differs("An object was created twice.")
    }
  }

  /// A line of the other process.
  @MainActor private func show(_ line: String) { print("  " + line) }
}
