import Synchronization

/// The requests under way that carry edits, by row. They hear what happens to the row meanwhile, which decides what
/// their answers end.
///
/// Two rules need them. An answer does not acknowledge an edit that was made after its request was sent, also where the
/// edit has the value that was sent. And while a request carries a column, no answer to another request ends an edit of
/// the column: the server may have the value that is on its way in the end.
///
/// Nothing outlives the process, as no request does.
final class EditsUnderWay: Sendable {
  private struct Entry {
    weak var marker: SentEdits.Marker?
  }

  private let entries = Mutex<[RowKey: [Entry]]>([:])

  var isEmpty: Bool { entries.withLock(\.isEmpty) }

  /// A request is about to carry edits of a row. Requests that have ended are forgotten.
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
  /// - Parameter own: The request whose answer is taken in; it is left out.
  func markers(of key: RowKey, but own: SentEdits.Marker? = nil) -> [SentEdits.Marker] {
    entries.withLock { $0[key] ?? [] }.compactMap(\.marker).filter { marker in
      !marker.isOver && (own.map { !marker.isPart(of: $0) } ?? true)
    }
  }

  /// Another row absorbed a row.
  func move(from: RowKey, to: RowKey) {
    entries.withLock { entries in
      guard let moved = entries.removeValue(forKey: from) else { return }
      entries[to, default: []] += moved
    }
  }
}
