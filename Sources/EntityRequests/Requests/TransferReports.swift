import Synchronization

/// The reports of one transfer, as far as they come before its end: an adapter's thread may be late with one.
final class TransferReports: Sendable {
  private let isOver = Mutex(false)
  private let report: TransferProgressHandler

  init(_ report: @escaping TransferProgressHandler) { self.report = report }

  var handler: TransferProgressHandler {
    { progress in
      if !self.isOver.withLock(\.self) { self.report(progress) }
    }
  }

  /// The transfer has its response, or failed.
  func end() { isOver.withLock { $0 = true } }
}
