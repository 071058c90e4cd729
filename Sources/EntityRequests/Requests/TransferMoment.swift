package import EntityStore
import Synchronization

/// The moment in the order of requests at which the transfer of a read began, as far as an adapter tells.
///
/// An adapter may give a read the response to an equal one that was sent earlier. The server may have read that response
/// before a newer answer, or a message, was taken in here. So the answer has the number of the transfer, and not that of
/// the read. For example, GET 1 is under way when GET 2 is answered with a new name. GET 3 shares the transfer of GET 1: its
/// answer leaves the new name alone.
package final class TransferMoment: Sendable {
  /// The moment of the request that the adapters are asked for.
  @TaskLocal package static var current: TransferMoment?

  private struct State {
    var transfer: HeldNumber?
    var isOver = false
  }

  private let requests: RequestSequence
  private let number: RequestNumber
  private let state = Mutex(State())

  /// A text that is equal for reads that may share a transfer. Reads of other stores have orders of their own, and a read that
  /// is sent after a hint must not get a response from before it.
  package let text: String

  /// - Parameters:
  ///   - number: That of the read, which is under way.
  ///   - hints: The order that the hints of the server are counted in; `nil` for that of the read.
  package init(_ requests: RequestSequence, _ number: RequestNumber, hints: RequestSequence? = nil) {
    (self.requests, self.number) = (requests, number)
    text = "\(ObjectIdentifier(requests)) \((hints ?? requests).hints)"
  }

  /// A transfer for this read and for others begins; `nil` once the read has its response. It has the number of this read, the
  /// first of them, and is under way until the last of them has its answer.
  package func begin() -> HeldNumber? { state.withLock { $0.isOver ? nil : requests.held(number) } }

  /// The response to this read is that of a transfer.
  package func share(_ transfer: HeldNumber) { state.withLock { if !$0.isOver { $0.transfer = transfer } } }

  /// The transfer that brought the response; `nil` where no adapter shared one. It is under way as long as somebody holds it.
  ///
  /// The read has its response, so the moment is over: tasks that the adapters have begun keep the moment, and must not keep
  /// the transfer.
  package func end() -> HeldNumber? {
    state.withLock { state in
      defer { state = State(isOver: true) }
      return state.transfer
    }
  }
}
