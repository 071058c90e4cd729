import AdapterDecorators
import EntityClient
import EntityInspector
import Foundation

// The actions of the person.

extension TodoApp {
  func quit() { isRunning = false }

  /// - Returns: The work that the key began, where it takes a while.
  @discardableResult func take(_ key: Key) -> Task<Void, Never>? {
    guard input == nil else {
      type(key)
      return nil
    }
    guard page == .list else {
      // `q` is how a person leaves a page of help elsewhere.
      if key == .control("c") { isRunning = false }
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
    case .back: break
    }
    return nil
  }

  var index: Int? {
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

  /// Whose change counts: of a conflict, of a change that the server refused or whose answer was lost, of a todo that it does not have
  /// any more.
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
      // The answer was lost. The server makes no second todo of the one that it may have: the request has the same key.
      case .unknown(let item): try await isMine ? outbox.confirm(item, .didNotHappen) : outbox.drop(item)
      case .sent, .waiting, .sending, .blocked: return "There is nothing to settle about this todo."
      }
      return isMine ? "Mine counts." : "Theirs counts."
    }
  }

  private func openInspector() throws {
    let inspector = try inspector ?? Inspector.start(client)
    self.inspector = inspector
    // A person opens it: each user of the machine could read it among the arguments of a program.
    page = .inspector(inspector.url.absoluteString)
  }

  /// Does what takes a while, and says how it ended.
  private func work(_ body: @escaping @MainActor () async throws -> String) -> Task<Void, Never> {
    Task {
      do { message = try await body() } catch { message = "\(error)" }
    }
  }
}
