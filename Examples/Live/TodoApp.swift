import Adapters
import EntityClient
import EntityInspector
import Foundation
import Observation

/// The app: the store's todos, its outbox, and what the person does. ``screen`` follows from it.
@MainActor @Observable final class TodoApp {
  let store: EntityStore
  let client: Client
  let outbox: Outbox
  /// Takes the app off the network: the adapter then sends nothing.
  let network = OfflineSwitch()
  let colleague: Colleague
  let todos: LiveQuery<Todo>
  let live: LiveOutbox
  var inspector: Inspector?

  /// The connection that events come through; open when all that was missed is there.
  enum Link: Equatable { case opening, open, lost }
  var link = Link.opening
  var isRunning = true
  var isOffline = false
  var message = ""
  var page = Screen.Page.list
  var input: LineInput?
  /// The todo whose title is typed; `nil` for a new one.
  var edited: EntityID<Todo>?
  var selected: EntityID<Todo>?
  /// Where the selected todo stood: when it goes, the one that takes its place is selected.
  var place = 0
  private var marked: Set<EntityID<Todo>> = []
  /// The server's titles in conflict, by the number of the entry.
  private var theirs: [Int64: String] = [:]
  var following: Task<Void, Never>?

  init(file: URL, server: URL) throws {
    var options = StoreOptions()
    options.history = .keepingAll  // the inspector shows who wrote what
    store = try EntityStore(.file(file), entities: [Todo.self], options: options)
    store.main.undoManager.limit = .saves(50)
    var chain = StandardChain()
    chain.network = network
    client = try Client(adapter: CurlAdapter().standard(chain), store: store, baseURL: server)
    try Client.install(client)  // `Todo.get` and all other verbs go through it
    outbox = try Outbox(client)
    live = LiveOutbox(outbox)
    todos = LiveQuery(Todo.list, in: store)
    colleague = try Colleague(server: server)
  }

  /// Sends what waits, and follows the server.
  func start() {
    outbox.start()
    following = Task { await follow() }
  }

  func stop() async {
    following?.cancel()
    inspector?.stop()
    await outbox.stop()
  }

  /// Takes events in until it is cancelled. The file has the number of the last one: none is missed, also over a restart.
  func follow() async {
    var options = EventStreamOptions()
    options.maximumFailures = 1
    options.reconnectionTime = .milliseconds(500)
    while !Task.isCancelled {
      do {
        for try await event in client.serverSentEvents("todos/events", by: Todo.events, options: options) {
          if event.message.kind == "ready" {
            link = .open
            outbox.start()  // it need not wait for its next try
          }
          if let error = event.error { message = "\(error)" }
        }
      } catch {
        if !Task.isCancelled { link = .lost }
      }
      // A server that is down is not asked without a pause.
      try? await Task.sleep(for: .seconds(1))
    }
  }

  // MARK: The screen

  var screen: Screen {
    let rows = todos.objects.map { todo in
      Screen.Row(
        id: todo.entityID, title: todo.title, isDone: todo.isDone, state: state(todo),
        isMarked: marked.contains(todo.entityID))
    }
    return Screen(
      rows: rows, selected: index, headline: headline(rows), message: message, input: input, page: page)
  }

  /// The rows tell of an edit at once, the outbox also of deletions.
  private func headline(_ rows: [Screen.Row]) -> String {
    let held = [
      (live.refused, "refused"), (live.conflicts, "in conflict"), (live.unknown, "unknown"),
      (live.keptAside, "deleted there"),
    ]
    let waiting = max(
      live.count - held.reduce(0) { $0 + $1.0.count }, rows.count { $0.state == .waiting || $0.state == .sending })
    var parts = waiting > 0 ? ["\(waiting) waiting"] : []
    for (items, name) in held where !items.isEmpty { parts.append("\(items.count) \(name)") }
    if parts.isEmpty { parts = ["all sent"] }
    if live.pause == .otherSender { parts.append("another window sends") }
    switch link {
    case _ where isOffline: parts.append("offline")
    case .opening: parts.append("connecting")
    case .open: parts.append("live")
    case .lost: parts.append("no server")
    }
    return parts.joined(separator: ", ")
  }

  private func state(_ todo: Todo) -> Screen.State {
    switch todo.sendState {
    case .sent: .sent
    case .waiting, .blocked: .waiting
    case .sending: .sending
    case .refused(let item): .refused(Self.reason(item))
    case .conflict(let item): .conflict(theirs: theirs[item.id] ?? "…")
    case .gone: .deletedThere
    case .unknown: .unknown
    }
  }

  /// The server's words, where its answer has them.
  private static func reason(_ item: OutboxItem) -> String {
    struct Answer: Decodable {
      struct Reason: Decodable { let message: String }
      let error: Reason
    }
    return (try? item.model(as: Answer.self).error.message) ?? item.reason ?? "no reason"
  }

  /// Waits until nothing more happens without a person: all that can be sent is sent. For a pipe: an app with a screen waits for nothing.
  func settled() async {
    for await screen in Observations({ self.screen }) {
      if isOffline || link == .lost { break }
      let lines = (try? await outbox.plan().lines) ?? []
      // The rows hear of the end of a request a moment after the plan.
      let isShown = !screen.rows.contains { $0.state == .waiting || $0.state == .sending }
      if link == .open, isShown, lines.allSatisfy({ $0.number == nil }) { break }
    }
    await readTheirs()
  }

  /// Looks at what has changed from one screen to the next: marks the rows for a moment, and reads the other side of conflicts.
  func note(_ old: Screen, _ new: Screen) {
    let before = Dictionary(old.rows.map { ($0.id, $0) }) { $1 }
    let changed = new.rows.filter { row in
      guard row.state == .sent else { return false }
      // Before the connection is open the rows are merely read.
      return before[row.id].map { $0.title != row.title || $0.isDone != row.isDone } ?? (link == .open)
    }
    mark(changed.map(\.id))
    if !live.conflicts.isEmpty { Task { await readTheirs() } }
  }

  private func mark(_ ids: [EntityID<Todo>]) {
    guard !ids.isEmpty else { return }
    marked.formUnion(ids)
    Task {
      try? await Task.sleep(for: .seconds(1.5))
      marked.subtract(ids)
    }
  }

  private func readTheirs() async {
    var titles: [Int64: String] = [:]
    for item in live.conflicts {
      let conflicts = (try? await outbox.conflicts(of: item)) ?? []
      titles[item.id] = conflicts.first { $0.property == "title" }?.theirs.as(String.self)
    }
    if titles != theirs { theirs = titles }
  }
}
