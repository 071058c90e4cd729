package import Foundation

/// A live query at one moment, for a person who looks for the work behind a screen. It has values of the query: it is for no log.
package struct LiveQueryFacts: Sendable {
  /// The place in the order in which the queries of the context were made.
  package internal(set) var number = 0
  package let entity: String
  /// The query for the rows, with `?` in place of each value.
  package let sql: String
  package let values: [StoredValue]
  /// The number of objects of the last result.
  package let rows: Int
  /// How often the query was run.
  package let runs: Int
  /// The time of the last run, and how long it took; `nil` before the first one.
  package let last: (time: Date, duration: Duration)?
  /// Why the last run failed; `nil` for a success.
  package let failure: String?

  init(
    entity: String, _ sql: RenderedSQL, rows: Int, runs: Int, last: (time: Date, duration: Duration)?, failure: String?
  ) {
    self.entity = entity
    (self.sql, values) = (sql.sql, sql.values)
    (self.rows, self.runs, self.last, self.failure) = (rows, runs, last, failure)
  }
}

extension EntityStore {
  /// The live queries of the main context, in the order in which they were made. Where nobody uses the main context there are
  /// none, and none is made.
  @MainActor package var liveQueryFacts: [LiveQueryFacts] { mainContext?.news.liveQueries.facts ?? [] }
}
