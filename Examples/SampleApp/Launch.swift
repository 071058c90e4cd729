import ArgumentParser
import EntityClient
import Foundation
import OfflineSample
import SampleSchema

/// A launch of the app that works offline, as a process of its own: `--offline` starts it twice.
struct Launch: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Send the pending changes of a file.")

  /// The last line before the outbox goes on by itself.
  static let triesOn = "The outbox tries again by itself."

  @Argument(help: "The SQLite file.")
  var file: String

  @Argument(help: "The URL of a server with the API of the sample server.")
  var url: String

  @Flag(help: "Edit users, posts and comments first.")
  var edit = false

  @MainActor func run() async throws {
    let store = try EntityStore(.file(URL(fileURLWithPath: file)), entities: sampleEntities)
    try SampleApp.install(store, url)
    if edit {
      let app = try OfflineApp(Client.current, say: Self.tell)
      try app.edit()
      try await app.tryOnce()
      try await app.showPlan()
      Self.tell(Self.triesOn)
      try await app.send()
    } else {
      // Half a minute passes between a lost answer and the next request about its object.
      let app = try OfflineApp(Client.current, clock: QuickClock(factor: 20), say: Self.tell)
      try await app.showPlan()
      try await app.send()
      try await app.showPlan()
      try await app.settle()
      try await app.send()
      try await app.showPlan()
    }
  }

  /// Shows a text at once, also where another process reads it.
  @MainActor private static func tell(_ text: String) {
    print(text)
    fflush(nil)
  }
}
