import EntityClient
import Foundation
import Observation
import SampleSchema

/// A list on the screen of one process, which changes as a second process syncs the file.
struct Watch {
  let url: String
  let file: StoreFile

  @MainActor func run() async throws {
    let store = try EntityStore(.file(file.url), entities: sampleEntities)
    let users = LiveQuery(User.all.sorted(by: \.uid, .descending).limited(to: 5), in: store)
    let everyone = LiveQuery(User.all, in: store)
    let syncing = try sync()
    let showing = Task { @MainActor in
      let screen = Screen()
      // A new text for each turn in which something changed that the last one was made of.
      for await text in Observations({ "\(everyone.objects.count) users, the last ones:\n\(Table(users.objects))" }) {
        screen.show(text)
      }
    }
    let status = await syncing.end.status
    // The last commit may have come with the end of the process.
    _ = try store.main.count(User.all)
    await Task.yield()
    showing.cancel()
    await showing.value
    guard status == 0 else { throw WatchError.syncFailed(status) }
    say("The second process is done: \(everyone.objects.count) users here, and this process sent no request.")
  }

  private func sync() throws -> RunningApp {
    try RunningApp(["sync", file.path, url])
  }
}

enum WatchError: Error, CustomStringConvertible {
  case syncFailed(Int32)

  var description: String {
    switch self {
    case .syncFailed(let status): "The process that syncs failed with status \(status); see above."
    }
  }
}

/// A text in its place on a terminal; else one text below the other.
@MainActor
private final class Screen {
  private let isTerminal = isatty(1) == 1
  private var height = 0

  func show(_ text: String) {
    // Up to the first line of the last text, and all below it away.
    if isTerminal, height > 0 { print("\u{1B}[\(height)A\u{1B}[J", terminator: "") }
    height = text.count { $0 == "\n" } + 1
    print(text)
    fflush(nil)
  }
}
