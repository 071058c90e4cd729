import Adapters
import ArgumentParser
import EntityClient
import Foundation
import LiveSample
import SampleSchema
import SampleServer

/// The sample app, which `scripts/demo` runs: sync, edit, create, delete, sync again, read from a second process.
@main
struct SampleApp: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sample-app",
    abstract: "Entities travel from an HTTP server through libcurl into SQLite and back.",
    discussion: """
      It starts a sample API server on a free port of this machine, syncs its users into a file, changes some on both \
      sides, takes in a page of posts with all that belongs to them, syncs again, stops the server, and lists the \
      file from a second process.
      """,
    subcommands: [List.self, Sync.self, Launch.self])

  @Option(
    help: """
      The SQLite file to sync into. By default a new one in the temporary folder, removed at the end; with --live one that \
      stays, beside the program.
      """)
  var store: String?

  @Option(help: "How many users the sample server has, 3 or more; 10,000 by default, and 6 with --offline.")
  var count: Int?

  @Option(help: "The URL of a server that is running already, with the API of the sample server.")
  var baseURL: String?

  @Flag(help: "Show a list that changes as a second process syncs, in place of the tour.")
  var watch = false

  @Flag(help: "Edit without a server, be killed in the middle of a send, start again and send, in place of the tour.")
  var offline = false

  @Flag(
    help: "Show todos that others change, offline too, and settle conflicts, in place of the tour; ? lists the keys.")
  var live = false

  func validate() throws {
    let least = offline ? 4 : 3
    guard count ?? least >= least else { throw ValidationError("--count must be \(least) or more.") }
    guard [offline, watch, live].count(where: { $0 }) <= 1 else {
      throw ValidationError("--offline, --watch and --live are different demonstrations.")
    }
    guard !live || count == nil else { throw ValidationError("--live has no users: leave --count out.") }
    guard !live || baseURL == nil || URL(string: baseURL ?? "")?.host() != nil else {
      throw ValidationError("--base-url is no URL of a server.")
    }
    guard !offline || baseURL == nil else { throw ValidationError("--offline stops its server: leave --base-url out.") }
  }

  func run() async throws {
    if live { return try await Showcase.run(StoreFile.ofLive(store), server: baseURL.flatMap { URL(string: $0) }) }
    let file = StoreFile(store)
    defer { file.removeIfTemporary() }
    if offline { return try await Offline(SampleServer(userCount: count ?? 6, token: Self.token), file).run() }
    let server = baseURL == nil ? SampleServer(userCount: count ?? 10_000, token: Self.token) : nil
    let url = try await server?.start().absoluteString ?? baseURL ?? ""
    do {
      if watch { try await Watch(url: url, file: file).run() } else { try await tour(url, file) }
    } catch {
      await server?.stop()
      throw error
    }
    if watch { return await server?.stop() ?? () }
    if let server {
      await server.stop()
      say("The server is stopped. A second process reads the file:")
    } else {
      say("A second process reads the file:")
    }
    try list(file)
  }

  /// The token that the sample server asks for; a real app has one per session.
  private static let token = "sample-token"

  @MainActor private func tour(_ url: String, _ file: StoreFile) async throws {
    say("Syncing from \(url) into \(file.path)")
    let store = try EntityStore(.file(file.url), entities: sampleEntities)
    try Self.install(store, url)

    try await sync("First sync")
    print(Table(try store.main.fetch(User.all.sorted(by: \.uid).limited(to: 5))))

    guard let first = try store.main.fetch(User.all.sorted(by: \.uid).limited(to: 1)).first else {
      throw ValidationError("The server at \(url) has no users.")
    }
    first.email = "new.address@example.com"
    try await first.saveEmail()
    say("PUT: user \(first.uid) now has the address \(first.email ?? "-")")

    let ada = try store.main.insert(User.self)
    ada.firstName = "Ada"
    ada.lastName = "Lovelace"
    ada.email = "ada@example.com"
    try await ada.create()
    say("POST: the server named the new user \(ada.uid)")

    if let other = try store.main.fetch(User.where { $0.uid > first.uid }.sorted(by: \.uid).limited(to: 1)).first {
      try await other.delete()
      say("DELETE: user \(other.uid) is gone here too (isDeleted: \(other.isDeleted))")
    }

    try await blog()

    let again = try await sync("Second sync")
    if again.rowsWritten == 0 {
      say("Everything was unchanged: zero rows written.")
    } else {
      say("\(again.rowsWritten) rows were written: the server changed in the meantime.")
    }
  }

  static func install(_ store: EntityStore, _ url: String) throws {
    // The hook: every request of every entity passes through this adapter.
    let adapter = CurlAdapter().modifying(requestsTo: URL(string: url)) { request in
      try request.setHeaders(["Authorization": "Bearer \(token)"])
    }
    try Client.install(Client(adapter: adapter, store: store, baseURL: url))
  }

  /// Posts with all that belongs to them, from one side-loaded response.
  @MainActor private func blog() async throws {
    let feed = try await Post.feed(perPage: 100)
    say(
      "Feed: \(feed.ids.count) posts, \(feed.ids(of: Comment.self).count) comments, "
        + "\(feed.ids(of: Tag.self).count) tags and \(feed.ids(of: User.self).count) users in one transaction")
    let tags = try await Tag.popular(limit: 3).objects
    print("Popular: " + tags.map { "\($0.name) (\($0.postCount), \($0.posts.count) here)" }.joined(separator: ", "))
    guard let draft = try feed.objects.first(where: { $0.state == .draft }) else { return }
    try await draft.publish()
    try await draft.comment("At last.")
    print("PATCH: '\(draft.title)' is \(draft.state); its last comment: \(draft.comments.last?.text ?? "-")")
  }

  @discardableResult
  @MainActor private func sync(_ name: String) async throws -> EntityCounts {
    let bar = ProgressBar(name)
    let clock = ContinuousClock()
    let start = clock.now
    let response = try await User.get(progress: { bar.show($0.fraction) })
    bar.end()
    let counts = response.counts
    say(
      "\(counts.inserted) inserted, \(counts.updated) updated, \(counts.unchanged) unchanged, "
        + "\(counts.rowsWritten) rows written in \((clock.now - start).formatted(.units(allowed: [.milliseconds])))")
    return counts
  }

  private func list(_ file: StoreFile) throws {
    let process = Process()
    process.executableURL = Bundle.main.executableURL
    process.arguments = ["list", file.path, "--limit", "5"]
    // The output so far must come before that of the other process.
    fflush(nil)
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw ExitCode(process.terminationStatus) }
  }
}

/// Where the tour keeps its rows.
struct StoreFile {
  let url: URL
  private let isTemporary: Bool

  init(_ path: String?) {
    isTemporary = path == nil
    url =
      path.map { URL(fileURLWithPath: $0) }
      ?? FileManager.default.temporaryDirectory.appending(path: "sample-\(UUID().uuidString).sqlite")
  }

  /// The file of `--live`, which stays: beside the program, unless another one is named.
  static func ofLive(_ path: String?) -> URL {
    path.map { URL(fileURLWithPath: $0) }
      ?? (Bundle.main.executableURL ?? URL(fileURLWithPath: ".")).deletingLastPathComponent()
      .appending(path: "live/todos.sqlite")
  }

  var path: String { url.path }

  func removeIfTemporary() {
    guard isTemporary else { return }
    for suffix in ["", "-wal", "-shm", "-outbox"] { try? FileManager.default.removeItem(atPath: path + suffix) }
  }
}

func say(_ text: String) { print("\n" + text) }
