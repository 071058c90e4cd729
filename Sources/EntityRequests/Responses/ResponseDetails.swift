import EntityStore
import Foundation

/// The facts that most responses lack, each with its default value.
///
/// Upserts hand them on as one value, so that a new fact changes neither the initializers nor their callers.
struct ResponseDetails: Sendable {
  var unrecognized: [UnrecognizedValue] = []
  var skipped = SkippedChanges()
  /// The rows that the response has written; `nil` when the main context was never used.
  var written: WrittenRows?
  var absentKeys: [String] = []
  var unreadKeys: [UnreadKey] = []
  var refused = RefusedValues()
  var isDryRun = false
  var wouldDelete = DeletedObjects()
  var lacksUID = false
  var location: URL?
  var origin = ResponseOrigin.network
  var metrics: TransferMetrics?
  /// `nil` for a response that was not streamed.
  var streamed: StreamedProgress?
}
