import Synchronization

/// Passes on the reports of one transfer until it ends: the thread of an adapter may be late with a report.
final class TransferReports: Sendable {
  private let isOver = Mutex(false)
  private let report: TransferProgressHandler

  init(_ report: @escaping TransferProgressHandler) { self.report = report }

  var handler: TransferProgressHandler {
    { progress in
      if !self.isOver.withLock(\.self) { self.report(progress) }
    }
  }

  /// Called when the transfer has its response, or has failed.
  func end() { isOver.withLock { $0 = true } }
}
