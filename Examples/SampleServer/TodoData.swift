import Foundation

/// Todos, kept in a file where one is named: a server that starts again has them still.
///
/// ```json
/// {"id":3,"title":"Water the plants","is_done":false,"created_at":"2026-01-01T00:00:03Z","version":11}
/// ```
///
/// Each change gives a todo the next version of all todos, so that the changes after a version are those of a higher one.
struct TodoData: Sendable {
  struct Todo: Codable, Sendable, Equatable {
    var id: Int
    var title: String
    var isDone: Bool
    var createdAt: String
    var version: Int

    enum CodingKeys: String, CodingKey {
      case id, title, version
      case isDone = "is_done"
      case createdAt = "created_at"
    }
  }

  private struct Content: Codable {
    var todos: [Int: Todo] = [:]
    /// The versions of the deletions, by id.
    var deleted: [Int: Int] = [:]
    /// The ids of the todos that requests with a key created.
    var created: [String: Int] = [:]
    var version = 0
    var lastID = 0
  }

  /// Why a change is not made.
  enum Refusal: Error { case noTitle, longTitle, otherVersion }

  /// In characters.
  static let longestTitle = 200

  private var content = Content()
  private let file: URL?

  /// The todos of the beginning.
  init() {
    file = nil
    begin()
  }

  /// The todos of a file; those of the beginning where there is none.
  ///
  /// - Throws: ``TodoFileError`` for a file that is none of a server's todos.
  init(file: URL) throws {
    self.file = file
    guard FileManager.default.fileExists(atPath: file.path) else {
      begin()
      return
    }
    do { content = try JSONDecoder().decode(Content.self, from: Data(contentsOf: file)) } catch {
      throw TodoFileError(path: file.path)
    }
    // Numbers that a server has given leave room for more.
    guard max(content.version, content.lastID) < .max / 2 else { throw TodoFileError(path: file.path) }
  }

  private mutating func begin() {
    for (place, title) in Self.titles.enumerated() {
      content.lastID += 1
      content.version += 1
      content.todos[content.lastID] = Todo(
        id: content.lastID, title: title, isDone: place == 1, createdAt: "2026-01-01T00:00:0\(place)Z",
        version: content.version)
    }
  }

  /// By ascending id.
  var all: [Todo] { content.todos.values.sorted { $0.id < $1.id } }
  var version: Int { content.version }

  func todo(_ id: Int) -> Todo? { content.todos[id] }

  /// The todos that changed after a version, and the deletions, by ascending version.
  func changes(after version: Int) -> [(version: Int, id: Int, todo: Todo?)] {
    let changed = content.todos.values.map { (version: $0.version, id: $0.id, todo: Optional($0)) }
    let deleted = content.deleted.map { (version: $0.value, id: $0.key, todo: Todo?.none) }
    return (changed + deleted).filter { $0.version > version }.sorted { $0.version < $1.version }
  }

  // MARK: Changes

  /// - Parameter key: The key of the request; the same todo is answered to a key that was there before.
  mutating func create(_ attributes: [String: JSONValue], key: String?) throws -> Todo {
    if let id = key.flatMap({ content.created[$0] }), let todo = content.todos[id] { return todo }
    content.lastID += 1
    let new = Todo(id: content.lastID, title: "", isDone: false, createdAt: Date.now.ISO8601Format(), version: 0)
    if let key { content.created[key] = new.id }
    return try put(new, attributes)
  }

  /// - Parameter expected: The version that the todo must have; `nil` for any.
  /// - Returns: `nil` where there is no such todo.
  mutating func update(_ id: Int, _ attributes: [String: JSONValue], expected: Int?) throws -> Todo? {
    guard let todo = content.todos[id] else { return nil }
    guard expected ?? todo.version == todo.version else { throw Refusal.otherVersion }
    return try put(todo, attributes)
  }

  /// - Returns: Whether there was such a todo.
  mutating func delete(_ id: Int, expected: Int?) throws -> Bool {
    guard let todo = content.todos[id] else { return false }
    guard expected ?? todo.version == todo.version else { throw Refusal.otherVersion }
    content.todos[id] = nil
    content.version += 1
    content.deleted[id] = content.version
    try keep()
    return true
  }

  private mutating func put(_ old: Todo, _ attributes: [String: JSONValue]) throws -> Todo {
    var todo = old
    if case .string(let title)? = attributes["title"] { todo.title = title }
    if case .bool(let isDone)? = attributes["is_done"] { todo.isDone = isDone }
    if case .string(let date)? = attributes["created_at"] { todo.createdAt = date }
    guard todo.title.contains(where: { !$0.isWhitespace }) else { throw Refusal.noTitle }
    guard todo.title.count <= Self.longestTitle else { throw Refusal.longTitle }
    guard todo != old else { return old }
    content.version += 1
    todo.version = content.version
    content.todos[todo.id] = todo
    try keep()
    return todo
  }

  /// A killed server has the todos of before or after a change.
  private func keep() throws {
    guard let file else { return }
    try JSONEncoder().encode(content).write(to: file, options: .atomic)
  }

  private static let titles = [
    "Buy milk", "Call the plumber", "Water the plants", "Return the library books", "Book a table for Friday",
    "Repair the bicycle", "Write to Aunt Mary",
  ]
}

/// A file that has no todos of a server.
struct TodoFileError: Error, CustomStringConvertible {
  let path: String

  var description: String { "The file \(path) is none that a sample server has written, so it is left alone." }
}
