import ArgumentParser
import EntityClient
import Foundation
import SampleSchema

/// The list as another process sees it: the same file, no server.
struct List: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "List the users in a file.")

  @Argument(help: "The SQLite file.")
  var file: String

  @Option(help: "How many users to list.")
  var limit = 20

  @MainActor func run() async throws {
    guard FileManager.default.fileExists(atPath: file) else {
      throw ValidationError("There is no file at \(file).")
    }
    let store = try EntityStore(
      .file(URL(fileURLWithPath: file)), entities: sampleEntities)
    let users = try store.main.fetch(User.all.sorted(by: \.uid).limited(to: limit))
    print(Table(users))
    print("\(try store.main.count(User.all)) users in the file")
  }
}
