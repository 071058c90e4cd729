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

  /// A transfer under way that several reads may share. Stamps for it stay until the last of them has its answer.
  package final class Transfer: Sendable {
    fileprivate let number: RequestNumber
    private let requests: RequestSequence

    fileprivate init(_ requests: RequestSequence) {
      self.requests = requests
      number = requests.begin()
    }

    deinit { requests.end(number) }
  }

  private let requests: RequestSequence
  private let transfer = Mutex<Transfer?>(nil)

  package init(_ requests: RequestSequence) { self.requests = requests }

  /// A text that is equal for reads that may share a transfer. Reads of other stores have orders of their own, and a read that
  /// is sent after a message must not get a response from before it.
  package var text: String { "\(ObjectIdentifier(requests)) \(requests.messages)" }

  /// A transfer for this read and for others begins.
  package func begin() -> Transfer { Transfer(requests) }

  /// The response to this read is that of a transfer.
  package func share(_ transfer: Transfer) { self.transfer.withLock { $0 = transfer } }

  /// The number of the transfer that brought the response; `nil` where no adapter shared one. It holds as long as this object
  /// lives.
  package var number: RequestNumber? { transfer.withLock { $0?.number } }
}
