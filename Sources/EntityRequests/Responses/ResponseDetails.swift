import EntityStore
import Foundation

/// The facts about a response that most responses have nothing to say of, each with the value that it has then.
///
/// Upserts hand them on as one value, so that a fact more changes neither the initializers nor their callers.
struct ResponseDetails: Sendable {
  var unrecognized: [UnrecognizedValue] = []
  var skipped = SkippedChanges()
  /// The rows that the response has written; `nil` where the main context was never used.
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
  var streamed: StreamedPart?
}
