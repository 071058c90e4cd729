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

  private let entries = Mutex<[RowWriter.RowKey: [Entry]]>([:])

  var isEmpty: Bool { entries.withLock(\.isEmpty) }

  /// A request is about to carry edits of a row. Those of requests that have ended are forgotten.
  func add(_ marker: SentEdits.Marker, of key: RowWriter.RowKey) {
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
  func markers(of key: RowWriter.RowKey, but own: SentEdits.Marker? = nil) -> [SentEdits.Marker] {
    entries.withLock { $0[key] ?? [] }.compactMap(\.marker).filter { marker in
      !marker.isOver && (own.map { !marker.isPart(of: $0) } ?? true)
    }
  }

  /// A row turned out to be another one.
  func move(from: RowWriter.RowKey, to: RowWriter.RowKey) {
    entries.withLock { entries in
      guard let moved = entries.removeValue(forKey: from) else { return }
      entries[to, default: []] += moved
    }
  }
}

extension RowWriter {
  /// Columns of a row were edited here.
  func noteEdited(_ model: EntityModel, _ pk: Int64, _ mask: ColumnMask, _ row: RowValues) {
    guard !mask.isEmpty, !writer.underWay.isEmpty else { return }
    let markers = writer.underWay.markers(of: RowKey(entity: model.number, pk: pk))
    guard !markers.isEmpty else { return }
    var values = RowValues(count: model.properties.count)
    for index in mask.indices { values[index] = row[index] }
    // An edit that is not committed is none.
    afterCommit { for marker in markers { marker.edited(values) } }
  }

  /// Lists of a row were edited here: their members, or their order.
  func noteEditedLists(_ model: EntityModel, _ pk: Int64, _ lists: ColumnMask) {
    let ordered = lists.intersection(model.ordered)
    guard !ordered.isEmpty, !writer.underWay.isEmpty else { return }
    let markers = writer.underWay.markers(of: RowKey(entity: model.number, pk: pk))
    guard !markers.isEmpty else { return }
    afterCommit { [origin] in for marker in markers { marker.edited(lists: ordered, from: origin) } }
  }

  /// A pair was put into the lists of its ends, or taken out of them, here.
  func noteEditedPair(_ links: EntityModel, _ row: RowValues, isIn: Bool) {
    guard !writer.underWay.isEmpty else { return }
    for side in 0...1 {
      guard case .toOne(let entity, let list?, _) = links.properties[side].kind else { continue }
      let markers = writer.underWay.markers(of: RowKey(entity: entity, pk: row.link(side)))
      guard !markers.isEmpty else { continue }
      let member = row.link(1 - side)
      afterCommit { for marker in markers { marker.edited(list, member, isIn: isIn) } }
    }
  }
}
