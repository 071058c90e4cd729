import Synchronization

/// The order in which requests were sent, so that an older answer never overwrites a newer one.
///
/// While older requests are under way, the rows that an answer touches are remembered with its number and columns; an
/// older answer leaves those columns alone, and does not bring back what a newer one deleted. Nothing is remembered
/// once no older request is left, and nothing outlives the process: neither do requests.
package final class RequestSequence: Sendable {
  package struct Number: Sendable, Hashable {
    fileprivate let value: UInt64
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
    let number: UInt64
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
  package func begin() -> Number {
    state.withLock { state in
      state.last += 1
      state.underWay.insert(state.last)
      return Number(value: state.last)
    }
  }

  /// The answer was taken in, or there will be none.
  package func end(_ number: Number) {
    state.withLock { state in
      state.underWay.remove(number.value)
      guard !state.stamps.isEmpty else { return }
      guard let oldest = state.underWay.min() else {
        state.stamps = [:]
        return
      }
      state.stamps = state.stamps.compactMapValues { stamps in
        let needed = stamps.filter { $0.number > oldest }
        return needed.isEmpty ? nil : needed
      }
    }
  }

  /// Whether an answer must leave marks: there are older requests under way.
  package func hasOlder(than number: Number) -> Bool {
    state.withLock { state in state.underWay.contains { $0 < number.value } }
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
      for stamp in state.stamps[key] ?? [] where stamp.number > number.value {
        if stamp.isDeletion { return .deletion }
        mask.formUnion(stamp.mask)
      }
      return .columns(mask)
    }
  }

  /// Remembers what an answer touched. Called for a whole answer once it is committed.
  package func mark(_ touched: [(key: Key, mask: ColumnMask, isDeletion: Bool)], by number: Number) {
    state.withLock { state in
      guard state.underWay.contains(where: { $0 < number.value }) else { return }
      for (key, mask, isDeletion) in touched {
        state.stamps[key, default: []].append(Stamp(number: number.value, mask: mask, isDeletion: isDeletion))
      }
    }
  }
}
