import EntityRequests
import Synchronization

/// Keeps the counts of a call from decreasing when the call is sent more than once.
final class SteadyProgress: Sendable {
  private let last = Mutex(TransferProgress())

  /// `nil` when nobody listens.
  static func handler(_ handler: TransferProgressHandler?) -> TransferProgressHandler? {
    guard let handler else { return nil }
    let progress = SteadyProgress()
    return { handler(progress.raised($0)) }
  }

  private func raised(_ progress: TransferProgress) -> TransferProgress {
    last.withLock { last in
      var raised = progress
      raised.bytesSent = max(progress.bytesSent, last.bytesSent)
      raised.bytesReceived = max(progress.bytesReceived, last.bytesReceived)
      // A fraction is never more than the whole.
      raised.bytesToSend = progress.bytesToSend.map { max($0, raised.bytesSent) }
      raised.bytesToReceive = progress.bytesToReceive.map { max($0, raised.bytesReceived) }
      last = raised
      return raised
    }
  }
}
