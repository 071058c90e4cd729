import Synchronization

/// The order in which requests were sent, so that an older answer never overwrites a newer one.
///
/// While older requests are under way, the rows that an answer touches are remembered with its number and columns; an
/// older answer leaves those columns alone, and does not bring back what a newer one deleted. The order of sending is not
/// the order in which a server works: what the answer to a writing request says is newer than that of any read which was
/// under way with it. Nothing is remembered once no such request is left, and nothing outlives the process: neither do
/// requests.
package final class RequestSequence: Sendable {
  package struct Number: Sendable, Hashable {
    fileprivate let value: UInt64
    /// Whether the request changes something on the server.
    fileprivate let isWrite: Bool
  }

  package struct Key: Hashable, Sendable {
    package let entity: Int
    package let uid: StoredValue

    package init(entity: Int, uid: StoredValue) {
      self.entity = entity
      self.uid = uid
    }
  }

  private struct Stamp {
    var number: UInt64
    /// A read that began before is older.
    var readsFrom: UInt64
    var mask: ColumnMask
    var isDeletion: Bool
  }

  private struct State {
    var last: UInt64 = 0
    var underWay: Set<UInt64> = []
    var stamps: [Key: [Stamp]] = [:]
  }

  private let state = Mutex(State())

  /// A request is about to be sent.
  package func begin(isWrite: Bool = false) -> Number {
    state.withLock { state in
      state.last += 1
      state.underWay.insert(state.last)
      return Number(value: state.last, isWrite: isWrite)
    }
  }

  /// The answer was taken in, or there will be none.
  package func end(_ number: Number) {
    state.withLock { state in
      let wasOldest = state.underWay.min() == number.value
      state.underWay.remove(number.value)
      guard !state.stamps.isEmpty, wasOldest else { return }
      guard let oldest = state.underWay.min() else {
        state.stamps = [:]
        return
      }
      state.stamps = state.stamps.compactMapValues { stamps in
        let needed = stamps.filter { $0.readsFrom > oldest }
        return needed.isEmpty ? nil : needed
      }
    }
  }

  /// Whether an answer must leave marks: there are requests under way whose answers are older.
  package func hasOlder(than number: Number) -> Bool {
    state.withLock { state in
      state.underWay.contains { $0 != number.value && (number.isWrite || $0 < number.value) }
    }
  }

  /// Whether newer answers left marks that an answer must heed.
  package var hasMarks: Bool { state.withLock { !$0.stamps.isEmpty } }

  package enum Newer: Sendable {
    case columns(ColumnMask)
    case deletion
  }

  /// What newer answers wrote of a row.
  package func newer(than number: Number, _ key: Key) -> Newer {
    state.withLock { state in
      var mask = ColumnMask()
      for stamp in state.stamps[key] ?? []
      where (number.isWrite ? stamp.number : stamp.readsFrom) > number.value {
        if stamp.isDeletion { return .deletion }
        mask.formUnion(stamp.mask)
      }
      return .columns(mask)
    }
  }

  /// Remembers what an answer touched. Called for a whole answer once it is committed.
  package func mark(_ touched: [(key: Key, mask: ColumnMask, isDeletion: Bool)], by number: Number) {
    state.withLock { state in
      if number.isWrite { state.last += 1 }
      let readsFrom = number.isWrite ? state.last : number.value
      let older = state.underWay.filter { $0 != number.value && $0 < readsFrom }
      guard !older.isEmpty else { return }
      for (key, mask, isDeletion) in touched {
        let new = Stamp(number: number.value, readsFrom: readsFrom, mask: mask, isDeletion: isDeletion)
        // Where no request lies between two answers, one stamp says as much as both: what is kept of a row is bounded by
        // the requests under way.
        if let last = state.stamps[key]?.last, last.isDeletion == isDeletion, last.number <= new.number,
          !older.contains(where: { $0 > last.number })
        {
          var merged = new
          merged.mask.formUnion(last.mask)
          state.stamps[key]?.removeLast()
          state.stamps[key]?.append(merged)
        } else {
          state.stamps[key, default: []].append(new)
        }
      }
    }
  }
}
