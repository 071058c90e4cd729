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
  private let network = OfflineSwitch()
  private let colleague: Colleague
  private let todos: LiveQuery<Todo>
  private let live: LiveOutbox
  private var inspector: Inspector?

  /// The connection that events come through.
  enum Link: Equatable { case opening, open, lost }
  private(set) var link = Link.opening
  private(set) var isRunning = true
  private var isOffline = false
  private var message = ""
  private var page = Screen.Page.list
  private var input: LineInput?
  /// The todo whose title is typed; `nil` for a new one.
  private var edited: EntityID<Todo>?
  private var selected: EntityID<Todo>?
  /// Where the selected todo stood: when it goes, the one that takes its place is selected.
  private var place = 0
  private var marked: Set<EntityID<Todo>> = []
  /// The server's titles in conflict, by the number of the entry.
  private var theirs: [Int64: String] = [:]
  private var following: Task<Void, Never>?

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
  private func follow() async {
    var options = EventStreamOptions()
    options.maximumFailures = 1
    options.reconnectionTime = .milliseconds(500)
    while !Task.isCancelled {
      do {
        for try await event in client.serverSentEvents("todos/events", by: Todo.events, options: options) {
          if link != .open { outbox.start() }  // it need not wait for its next try
          link = .open
          if let error = event.error { message = "\(error)" }
        }
      } catch {
        if !Task.isCancelled { link = .lost }
      }
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
    case .conflict(let item): .conflict(theirs: theirs[item.id] ?? "")
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
    return (try? item.model(as: Answer.self).error.message) ?? item.problem ?? "no reason"
  }

  /// Waits until nothing more happens without a person: all that can be sent is sent.
  func settled() async {
    for await _ in Observations({ self.screen }) {
      if isOffline || link == .lost { break }
      let lines = (try? await outbox.plan().lines) ?? []
      if link == .open, lines.allSatisfy({ $0.number == nil }) { break }
    }
    await readTheirs()
  }

  /// Looks at what has changed from one screen to the next: marks the rows for a moment, and reads the other side of conflicts.
  func note(_ old: Screen, _ new: Screen) {
    let before = Dictionary(uniqueKeysWithValues: old.rows.map { ($0.id, $0) })
    let changed = new.rows.filter { row in
      guard !old.rows.isEmpty, row.state == .sent else { return false }
      return before[row.id].map { $0.title != row.title || $0.isDone != row.isDone } ?? true
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

  // MARK: The person

  func quit() { isRunning = false }

  /// - Returns: The work that the key began, where it takes a while.
  @discardableResult func take(_ key: Key) -> Task<Void, Never>? {
    guard input == nil else {
      type(key)
      return nil
    }
    guard page == .list else {
      if Command(key) == .quit { isRunning = false }
      page = .list
      return nil
    }
    guard let command = Command(key) else { return nil }
    message = ""
    do { return try perform(command) } catch {
      message = "\(error)"
      store.main.rollback()
      return nil
    }
  }

  private func perform(_ command: Command) throws -> Task<Void, Never>? {
    switch command {
    case .move(let distance): move(distance)
    case .edit: beginTyping(chosen)
    case .add: beginTyping(nil)
    case .tick: try save { $0.isDone.toggle() }
    case .delete: try save { try store.main.delete($0) }
    case .undo: if try !store.main.undoManager.undo() { message = "There is nothing to undo." }
    case .switchNetwork: switchNetwork()
    case .refresh: return work { "Read: \(try await Todo.refresh())" }
    case .colleagueEdits: return colleagues { try await $0.edit($1) }
    case .colleagueDeletes: return colleagues { try await $0.delete($1) }
    case .mine: return settle(isMine: true)
    case .theirs: return settle(isMine: false)
    case .inspector: try openInspector()
    case .help: page = .help
    case .quit: isRunning = false
    case .back, .suspend: break
    }
    return nil
  }

  private var index: Int? {
    let objects = todos.objects
    return objects.firstIndex { $0.entityID == selected } ?? (objects.isEmpty ? nil : min(place, objects.count - 1))
  }

  private var chosen: Todo? { index.map { todos.objects[$0] } }

  private func move(_ distance: Int) {
    guard let index else { return }
    // The distance may be as long as an Int.
    select(
      distance < 0 ? max(0, index - min(index, -distance)) : index + min(distance, todos.objects.count - 1 - index))
  }

  private func select(_ index: Int) {
    place = index
    selected = todos.objects[index].entityID
  }

  /// An edit is saved, and the outbox sends it: now, or when the server can be reached.
  private func save(_ change: (Todo) throws -> Void) throws {
    guard let chosen, let index else { return message = "The list is empty. n makes a todo." }
    select(index)
    try change(chosen)
    try store.main.save()
  }

  private func beginTyping(_ todo: Todo?) {
    edited = todo?.entityID
    input = LineInput(label: todo == nil ? "new" : "title", text: todo?.title ?? "")
  }

  private func type(_ key: Key) {
    guard var line = input else { return }
    let outcome = line.take(key)
    input = outcome == .typing ? line : nil
    guard outcome == .entered else { return }
    message = ""
    do { try keep(line.text) } catch {
      message = "\(error)"
      store.main.rollback()
    }
  }

  private func keep(_ title: String) throws {
    if let edited {
      guard let todo = try store.main.object(edited) else { return message = "The todo is gone." }
      todo.title = title
    } else {
      let todo = try store.main.insert(Todo.self)
      (todo.title, todo.createdAt) = (title, .now)
      selected = todo.entityID
    }
    try store.main.save()
  }

  private func switchNetwork() {
    isOffline.toggle()
    network.isOffline = isOffline
    link = .opening
    following?.cancel()
    following = isOffline ? nil : Task { await follow() }
    if !isOffline { outbox.start() }
  }

  private func colleagues(
    _ act: @escaping @MainActor (Colleague, Int) async throws -> String
  ) -> Task<Void, Never>? {
    guard let chosen, chosen.hasUID else {
      message = "The server does not have this todo yet."
      return nil
    }
    let uid = chosen.uid
    return work { [colleague] in try await act(colleague, uid) }
  }

  /// Whose change counts: of a conflict, of a change that the server refused, of a todo that it does not have any more.
  private func settle(isMine: Bool) -> Task<Void, Never>? {
    guard let chosen else { return nil }
    let state = chosen.sendState
    return work { [outbox] in
      switch state {
      case .conflict(let item):
        for conflict in try await outbox.conflicts(of: item) {
          try await outbox.settle(conflict, isMine ? .mine : .theirs)
        }
      case .refused(let item): try await isMine ? outbox.retry(item) : outbox.drop(item)
      case .gone(let item): try await isMine ? outbox.restore(item) : outbox.drop(item)
      case .unknown(let item): try await outbox.drop(item)
      case .sent, .waiting, .sending, .blocked: return "There is nothing to settle about this todo."
      }
      return isMine ? "Mine counts." : "Theirs counts."
    }
  }

  private func openInspector() throws {
    let inspector = try inspector ?? Inspector.start(client)
    self.inspector = inspector
    page = .inspector(inspector.url.absoluteString)
    Browser.open(inspector.url)
  }

  /// Does what takes a while, and says how it ended.
  private func work(_ body: @escaping @MainActor () async throws -> String) -> Task<Void, Never> {
    Task {
      do { message = try await body() } catch { message = "\(error)" }
    }
  }
}
