import Synchronization

/// The order in which requests were sent, so that an older answer never overwrites a newer one.
///
/// While older requests are under way, the rows that an answer touches are remembered with its number and columns; an
/// older answer leaves those columns alone, and does not bring back a row that a newer one deleted. Nothing is
/// remembered once no such request is left, and nothing outlives the process: neither do requests.
///
/// The order of sending is not the order in which a server works. Three rules follow:
/// - The answer to a write is newer than that of any read which was under way with it, also of one that was sent later:
///   nothing tells whether the server read before it wrote.
/// - So the answer to a write heeds only the stamps of other writes. A read that overtook the write holds nothing back.
/// - Of two writes that are under way together, the one that was sent later is newer. But each has its word on the columns
///   that it alone sent, for the answer to the other one may have them from before.
///
/// Where the server worked in another order, a row has an older value until the next read. A read that is sent when no
/// write is under way is newer than all of them.
package final class RequestSequence: Sendable {
  package struct Key: Hashable, Sendable {
    package let entity: Int
    package let uid: StoredValue

    package init(entity: Int, uid: StoredValue) {
      self.entity = entity
      self.uid = uid
    }
  }

  /// The change that an answer made to one row.
  package struct Touch: Sendable {
    let key: Key
    let mask: ColumnMask
    /// The columns that the request sent and that the answer acknowledged.
    let sent: ColumnMask
    let isDeletion: Bool

    package init(_ key: Key, _ mask: ColumnMask, sent: ColumnMask = ColumnMask(), isDeletion: Bool = false) {
      self.key = key
      self.mask = mask
      self.sent = sent
      self.isDeletion = isDeletion
    }
  }

  private struct Stamp {
    var number: RequestNumber
    /// A read that began before is older.
    var readsFrom: UInt64
    var mask: ColumnMask
    var sent: ColumnMask
    var isDeletion: Bool

    /// Whether the answer to another request, which was under way when this one's was taken in, must heed it.
    func concerns(_ other: RequestNumber) -> Bool {
      readsFrom > other.value && (number.isWrite || !other.isWrite)
    }
  }

  private struct State {
    var last: UInt64 = 0
    var underWay: Set<RequestNumber> = []
    var stamps: [Key: [Stamp]] = [:]
  }

  private let state = Mutex(State())

  package init() {}

  /// A request is about to be sent.
  package func begin(isWrite: Bool = false) -> RequestNumber {
    state.withLock { state in
      state.last += 1
      let number = RequestNumber(value: state.last, isWrite: isWrite)
      state.underWay.insert(number)
      return number
    }
  }

  /// The answer was taken in, or there will be none.
  package func end(_ number: RequestNumber) {
    state.withLock { state in
      state.underWay.remove(number)
      // Only the oldest of its kind was alone in needing anything.
      guard !state.stamps.isEmpty,
        !state.underWay.contains(where: { $0.isWrite == number.isWrite && $0.value < number.value })
      else { return }
      let underWay = state.underWay
      guard !underWay.isEmpty else {
        state.stamps = [:]
        return
      }
      state.stamps = state.stamps.compactMapValues { stamps in
        let needed = stamps.filter { stamp in underWay.contains(where: stamp.concerns) }
        return needed.isEmpty ? nil : needed
      }
    }
  }

  /// Whether an answer must leave stamps: there are requests under way whose answers must heed them.
  package func hasOlder(than number: RequestNumber) -> Bool {
    state.withLock { state in
      state.underWay.contains {
        $0 != number && (number.isWrite || (!$0.isWrite && $0.value < number.value))
      }
    }
  }

  /// Whether newer answers left stamps that an answer must heed.
  package var hasStamps: Bool { state.withLock { !$0.stamps.isEmpty } }

  /// The changes that newer answers made to a row.
  package enum Newer: Sendable {
    /// The columns that they wrote; `sent` are those that requests sent which are newer themselves.
    case columns(ColumnMask, sent: ColumnMask)
    case deletion
  }

  /// The columns of a row that newer answers wrote, or its deletion.
  package func newer(than number: RequestNumber, _ key: Key) -> Newer {
    state.withLock { state in
      var (mask, sent) = (ColumnMask(), ColumnMask())
      for stamp in state.stamps[key] ?? [] where stamp.concerns(number) {
        guard !number.isWrite || stamp.number.value > number.value else {
          mask.formUnion(stamp.sent)
          continue
        }
        if stamp.isDeletion { return .deletion }
        mask.formUnion(stamp.mask)
        sent.formUnion(stamp.sent)
      }
      return .columns(mask, sent: sent)
    }
  }

  /// Remembers the rows and columns that an answer touched. Called for a whole answer once it is committed.
  package func stamp(_ touched: [Touch], by number: RequestNumber) {
    state.withLock { state in
      if number.isWrite { state.last += 1 }
      let readsFrom = number.isWrite ? state.last : number.value
      var new = Stamp(
        number: number, readsFrom: readsFrom, mask: ColumnMask(), sent: ColumnMask(), isDeletion: false)
      let older = state.underWay.filter { $0 != number && new.concerns($0) }
      guard !older.isEmpty else { return }
      for touch in touched {
        (new.mask, new.sent, new.isDeletion) = (touch.mask, touch.sent, touch.isDeletion)
        // Where no request lies between two answers of a kind, one stamp says as much as both: the stamps of a row are
        // bounded by the requests under way.
        let place = state.stamps[touch.key]?.lastIndex {
          $0.isDeletion == new.isDeletion && $0.number.isWrite == number.isWrite
        }
        if let place, let last = state.stamps[touch.key]?[place], last.number.value <= number.value,
          last.number == number || !older.contains(where: { $0.value > last.number.value })
        {
          var merged = new
          merged.mask.formUnion(last.mask)
          merged.sent.formUnion(last.sent)
          state.stamps[touch.key]?[place] = merged
        } else {
          state.stamps[touch.key, default: []].append(new)
        }
      }
    }
  }
}

/// The place of a request in the order in which requests were sent.
package struct RequestNumber: Sendable, Hashable {
  fileprivate let value: UInt64
  /// Whether the request changes something on the server.
  fileprivate let isWrite: Bool

  /// Whether this request was sent before another one.
  func isOlder(than other: RequestNumber) -> Bool { value < other.value }
}
