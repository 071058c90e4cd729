package import EntityStore
package import Foundation

/// The report on one request: its times, its response, and what the store took of it. Of the values of headers and bodies it has
/// those of skipped changes, and ``messages``.
package struct ExchangeReport: Sendable {
  package let method: String
  /// The URL without its user and the values of its query.
  package let url: String
  package let began: Date
  /// From the first step of the exchange to the last one, with the waits for the network and for the writer.
  package let duration: Duration
  /// The request and its response; `nil` in a report that is kept without them.
  package var messages: ExchangeMessages?
  /// `nil` without a response.
  package var status: Int?
  /// The bytes of the decoded body; `nil` where the body was streamed.
  package var bodySize: Int?
  /// The transport's figures; `nil` where it measures nothing.
  package var metrics: TransferMetrics?
  /// The entity of the objects; `nil` for a value.
  package var entity: String?
  /// The row ids of the first objects.
  package var pks: [Int64] = []
  /// How many objects the response had.
  package var objects = 0
  /// How many objects the response changed; `nil` for a value.
  package var counts: EntityCounts?
  /// The first changes that the store did not take.
  package var skipped: [SkippedChange] = []
  /// How many changes were skipped, with those that are not listed.
  package var skippedCount = 0
  /// Raw values that no case of their property's enum has.
  package var unrecognized: [UnrecognizedValue] = []
  /// Whether the objects are those of an earlier response: the server confirmed them with a 304, or was not asked.
  package var isFromStore = false
  /// The generations of its commits.
  package var generations: [Int64] = []
  /// Why the exchange failed, without values; `nil` for a success.
  package var failure: String?

  /// The most row ids that are kept.
  private static let mostPKs = 200

  init(method: String, url: String, began: Date, duration: Duration, _ messages: ExchangeMessages) {
    (self.method, self.url, self.began, self.duration) = (method, url, began, duration)
    self.messages = messages
  }

  /// Takes the facts of a response that was read as objects.
  mutating func take<E>(_ response: EntityResponse<E>) {
    status = response.status
    metrics = response.metrics
    entity = E.entityName
    pks = response.ids.prefix(Self.mostPKs).map(\.pk)
    (objects, counts) = (response.ids.count, response.counts)
    (skipped, skippedCount) = (Array(response.skipped), response.skipped.total)
    unrecognized = response.unrecognized
    isFromStore = response.origin != .network
  }
}
