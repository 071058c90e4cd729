import FlyingSocks
import Foundation

/// The bytes of one listener's stream of events: `changed` and `deleted`, each with its version as its id. The changes that the
/// listener missed come first, and then `ready`.
struct TodoEvents: AsyncBufferedSequence {
  typealias Element = UInt8

  let backend: Backend
  /// The version that the listener has.
  let after: Int

  init(backend: Backend, after: Int) { (self.backend, self.after) = (backend, after) }

  func makeAsyncIterator() -> Iterator {
    Iterator(backend: backend, wakes: backend.listen(), version: after)
  }

  struct Iterator: AsyncBufferedIteratorProtocol {
    let backend: Backend
    let wakes: AsyncStream<Void>
    var version: Int
    var rest: ArraySlice<UInt8> = []
    var isReady = false

    init(backend: Backend, wakes: AsyncStream<Void>, version: Int) {
      (self.backend, self.wakes, self.version) = (backend, wakes, version)
    }

    mutating func next() async throws -> UInt8? { try await nextBuffer(suggested: 1)?.first }

    mutating func nextBuffer(suggested count: Int) async throws -> ArraySlice<UInt8>? {
      while rest.isEmpty {
        rest = try take()[...]
        if !isReady { rest += Array("event: ready\ndata: {}\n\n".utf8) }
        isReady = true
        guard rest.isEmpty else { break }
        guard await wake() else { return nil }
      }
      defer { rest = rest.dropFirst(count) }
      return rest.prefix(count)
    }

    /// Waits for a change.
    ///
    /// - Returns: `false` where the server stops.
    private func wake() async -> Bool {
      for await _ in wakes { return true }
      return false
    }

    /// The events of what changed since the last call.
    private mutating func take() throws -> [UInt8] {
      let encoder = JSONEncoder()
      encoder.outputFormatting = .sortedKeys
      var bytes: [UInt8] = []
      for change in backend.todos.changes(after: version) {
        version = change.version
        let data = try change.todo.map { try encoder.encode($0) } ?? Data("{\"id\":\(change.id)}".utf8)
        bytes += Array("id: \(version)\nevent: \(change.todo == nil ? "deleted" : "changed")\ndata: ".utf8)
        bytes += Array(data) + Array("\n\n".utf8)
      }
      return bytes
    }
  }
}
