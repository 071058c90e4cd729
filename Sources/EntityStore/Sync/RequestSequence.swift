import Synchronization

/// The order in which requests were sent, so that an older answer never overwrites a newer one.
///
/// While older requests are under way, the rows and columns that an answer touches are remembered with its number. An
/// older answer leaves those columns alone, and does not bring back a row that a newer answer deleted. Nothing is
/// remembered once no such request is left. Nothing outlives the process, as no request does.
///
/// The order of sending is not the order in which a server works. Three rules follow:
/// - The answer to a write is newer than that of any read under way with it, even of a read that was sent later:
///   nothing tells whether the server read before it wrote.
/// - So the answer to a write heeds only the stamps of other writes. A read that overtook the write holds nothing back.
/// - Of two writes that are under way together, the one that was sent later is newer. But each decides about the
///   columns that it alone sent, because the answer to the other write may have values from before.
///
/// Where the server worked in another order, a row has an older value until the next read. A read that is sent when no
/// write is under way is newer than all writes.
///
/// A message that the server pushed has its place where it arrived. It is newer than all requests that were sent before,
/// reads and writes: a change that the server makes after the message comes with a message of its own, and a change that
/// a dropped message told would never come again. A request that was sent after the arrival is newer than the message.
/// The columns that a write sent are the write's own, as between two writes.
///
/// The answer to a read that shared the transfer of another one is as old as the transfer: `TransferMoment` of EntityRequests.
package final class RequestSequence: Sendable {
  /// The order of the requests that are about no store.
  package static let ofNoStore = RequestSequence()

  /// Tells of each answer.
  package let answered = AnswerSignal()
  /// Hears the times of answers.
  package let clock = ServerClock()

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
    /// The answer is newer than that of each read with a smaller number.
    var readsFrom: UInt64
    var mask: ColumnMask
    var sent: ColumnMask
    var isDeletion: Bool

    /// Whether another request, which was under way when this answer was taken in, must heed the stamp with its answer.
    func concerns(_ other: RequestNumber) -> Bool {
      readsFrom > other.value && (number.kind != .read || other.kind != .write)
    }
  }

  private struct State {
    var last: UInt64 = 0
    /// How often servers have hinted that something changed.
    var hints = 0
    /// Each request with the number of those who hold it.
    var underWay: [RequestNumber: Int] = [:]
    var stamps: [Key: [Stamp]] = [:]
  }

  private let state = Mutex(State())

  package init() {}

  /// A request is about to be sent.
  package func begin(isWrite: Bool = false) -> RequestNumber { begin(isWrite ? .write : .read) }

  /// Messages of the server have arrived. Those that arrive together, and are taken in one after the other, may share the
  /// number.
  package func beginMessage() -> RequestNumber { begin(.message) }

  /// The server has hinted that something changed, in a message without the change.
  package func noteHint() { state.withLock { $0.hints += 1 } }

  /// How often the server has hinted. A read after a hint must not get a response from before it, whatever it reads: the app
  /// alone knows which reads a hint is about.
  package var hints: Int { state.withLock { $0.hints } }

  /// A transfer goes on under the number of a request, whatever becomes of the request. It ends as a request does.
  package func hold(_ number: RequestNumber) { state.withLock { $0.underWay[number, default: 0] += 1 } }

  private func begin(_ kind: RequestNumber.Kind) -> RequestNumber {
    state.withLock { state in
      state.last += 1
      let number = RequestNumber(value: state.last, kind: kind)
      state.underWay[number] = 1
      return number
    }
  }

  /// The answer was taken in, or there will be none.
  package func end(_ number: RequestNumber) {
    state.withLock { state in
      let holders = state.underWay[number] ?? 1
      state.underWay[number] = holders > 1 ? holders - 1 : nil
      guard holders <= 1 else { return }
      // Only the end of the oldest request of its kind matters: some stamps may have been needed for that request
      // alone.
      guard !state.stamps.isEmpty,
        !state.underWay.keys.contains(where: { $0.kind == number.kind && $0.value < number.value })
      else { return }
      let underWay = state.underWay.keys
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
      state.underWay.keys.contains { other in
        switch number.kind {
        case .write: other != number
        case .read: other.kind != .write && other.value < number.value
        case .message: other.value < number.value
        }
      }
    }
  }

  /// Whether newer answers left stamps that an answer must heed.
  package var hasStamps: Bool { state.withLock { !$0.stamps.isEmpty } }

  /// Whether newer answers left stamps of a row.
  func isStamped(_ key: Key) -> Bool { state.withLock { $0.stamps[key] != nil } }

  /// The changes that newer answers made to a row.
  package enum Newer: Sendable {
    /// The columns that they wrote; `sent` are the columns among them that requests sent which are themselves newer.
    case columns(ColumnMask, sent: ColumnMask)
    case deletion
  }

  /// The columns of a row that newer answers wrote, or its deletion.
  package func newer(than number: RequestNumber, _ key: Key) -> Newer {
    state.withLock { state in
      var (mask, sent) = (ColumnMask(), ColumnMask())
      for stamp in state.stamps[key] ?? [] where stamp.concerns(number) {
        guard number.kind == .read || stamp.number.value > number.value else {
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
      if number.kind == .write { state.last += 1 }
      let readsFrom = number.kind == .write ? state.last : number.value
      var new = Stamp(
        number: number, readsFrom: readsFrom, mask: ColumnMask(), sent: ColumnMask(), isDeletion: false)
      let older = state.underWay.keys.filter { $0 != number && new.concerns($0) }
      guard !older.isEmpty else { return }
      for touch in touched {
        (new.mask, new.sent, new.isDeletion) = (touch.mask, touch.sent, touch.isDeletion)
        // Where no request lies between two answers of a kind, one stamp says as much as both. So the number of a row's
        // stamps is bounded by the number of requests under way.
        let place = state.stamps[touch.key]?.lastIndex {
          $0.isDeletion == new.isDeletion && $0.number.kind == number.kind
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

/// The place of a request, or of a message of the server, in the order in which requests were sent.
package struct RequestNumber: Sendable, Hashable {
  /// A read; a request that changes something on the server; a message that the server pushed.
  fileprivate enum Kind { case read, write, message }

  fileprivate let value: UInt64
  fileprivate let kind: Kind

  /// Whether this request was sent before another one.
  func isOlder(than other: RequestNumber) -> Bool { value < other.value }
}

/// A request, or the arrival of messages, that counts as under way for as long as somebody holds it: stamps for its number stay.
package final class HeldNumber: Sendable {
  package let number: RequestNumber
  private let requests: RequestSequence

  fileprivate init(_ requests: RequestSequence, _ number: RequestNumber) {
    (self.requests, self.number) = (requests, number)
  }

  deinit { requests.end(number) }
}

extension RequestSequence {
  /// A read that begins.
  package func heldRead() -> HeldNumber { HeldNumber(self, begin()) }

  /// Messages that arrive. Requests that are sent later are newer than the messages until all of these are taken in.
  package func heldMessage() -> HeldNumber { HeldNumber(self, beginMessage()) }

  /// A request that is under way, and may be over for those who began it.
  package func held(_ number: RequestNumber) -> HeldNumber {
    hold(number)
    return HeldNumber(self, number)
  }
}
