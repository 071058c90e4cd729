import Adapters
import ArgumentParser
import EntityClient
import Foundation
import SampleSchema

/// Syncs as another process than the one that shows the list: page after page, each a commit, and then some edits.
struct Sync: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Sync users into a file, page by page.")

  @Argument(help: "The SQLite file.")
  var file: String

  @Argument(help: "The URL of a server with the API of the sample server.")
  var url: String

  @MainActor func run() async throws {
    let store = try EntityStore(.file(URL(fileURLWithPath: file)), entities: sampleEntities)
    try SampleApp.install(store, url)
    for try await page in User.everyone(perPage: 500) where page.ids.isEmpty { print("An empty page.") }
    for user in try store.main.fetch(User.all.sorted(by: \.uid, .descending).limited(to: 3)) {
      user.email = "new.\(user.uid)@example.com"
      try await user.saveEmail()
    }
    if let last = try store.main.fetch(User.all.sorted(by: \.uid, .descending).limited(to: 1)).first {
      try await last.delete()
    }
  }
}
