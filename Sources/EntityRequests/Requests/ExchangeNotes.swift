import EntityStore
import Foundation
import HTTPFoundation
import Synchronization

/// The notes of an exchange that runs, for its report.
final class ExchangeNotes: Sendable {
  let trail = CommitTrail()
  private let began = Date()
  private let start = ContinuousClock.now
  private let response = Mutex<(status: Int, size: Int, metrics: TransferMetrics?)?>(nil)
  private let result = Mutex<(@Sendable (inout ExchangeReport) -> Void)?>(nil)

  /// Notes a complete response.
  func note(_ response: HTTPResponse) {
    self.response.withLock { $0 = (response.status, response.body.count, response.metrics) }
  }

  /// Notes the result of the exchange.
  ///
  /// - Parameter result: Adds what a report says of the result.
  func note(_ result: @escaping @Sendable (inout ExchangeReport) -> Void) { self.result.withLock { $0 = result } }

  /// The report on an exchange that is over.
  ///
  /// - Parameter error: Why it failed; `nil` for a success.
  func report(_ fetch: ResponseFetch, failedBy error: (any Error)? = nil) -> ExchangeReport {
    var report = ExchangeReport(
      method: fetch.method.rawValue, url: fetch.request.url?.shown ?? "no URL", began: began,
      duration: start.duration(to: .now))
    if let response = response.withLock({ $0 }) {
      (report.status, report.bodySize, report.metrics) = (response.status, response.size, response.metrics)
    }
    report.generations = trail.generations
    if let error {
      report.failure = error is CancellationError ? "cancelled" : RequestError.shown(error)
      report.status = report.status ?? (error as? RequestError)?.response?.status
    } else {
      result.withLock(\.self)?(&report)
    }
    return report
  }
}
