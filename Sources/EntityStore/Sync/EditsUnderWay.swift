import Synchronization

/// The requests under way that carry edits, by row: what happens to a row meanwhile tells what their answers end.
///
/// Two rules need them. An edit that was made after a request was sent is not acknowledged by its answer, also where it has the
/// value that was sent. And while a request carries a column, no answer to another one ends an edit of it: the server may
/// have the value that is on its way in the end.
///
/// Nothing outlives the process, as requests do not.
final class EditsUnderWay: Sendable {
  private struct Entry {
    weak var marker: SentEdits.Marker?
  }

  private let entries = Mutex<[RowKey: [Entry]]>([:])

  var isEmpty: Bool { entries.withLock(\.isEmpty) }

  /// A request is about to carry edits of a row. Those of requests that have ended are forgotten.
  func add(_ marker: SentEdits.Marker, of key: RowKey) {
    entries.withLock { entries in
      entries = entries.compactMapValues { list in
        let left = list.filter { $0.marker.map { !$0.isOver } ?? false }
        return left.isEmpty ? nil : left
      }
      entries[key, default: []].append(Entry(marker: marker))
    }
  }

  /// The requests that carry edits of a row.
  ///
  /// - Parameter own: The one whose answer asks.
  func markers(of key: RowKey, but own: SentEdits.Marker? = nil) -> [SentEdits.Marker] {
    entries.withLock { $0[key] ?? [] }.compactMap(\.marker).filter { marker in
      !marker.isOver && (own.map { !marker.isPart(of: $0) } ?? true)
    }
  }

  /// A row turned out to be another one.
  func move(from: RowKey, to: RowKey) {
    entries.withLock { entries in
      guard let moved = entries.removeValue(forKey: from) else { return }
      entries[to, default: []] += moved
    }
  }
}
