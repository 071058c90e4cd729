import EntityStore

/// The end of an entry of the outbox, which comes in the transaction of the response.
package struct OutboxEntryEnd: Sendable {
  /// The number of the entry.
  let number: Int64
  /// The numbers of other entries that end with it: the uploads of an object whose deletion the server has.
  let others: [Int64]
  /// Whether the server's values may come from an earlier request of the entry, whose answer was lost. The entry gives its
  /// request up, and keeps its place before a command.
  let mayHaveArrived: Bool
  /// Says why a response with a status of success is a refusal; `nil` where it is none.
  let verdict: (@Sendable (HTTPResponse) -> String?)?

  package init(
    number: Int64, others: [Int64] = [], mayHaveArrived: Bool = false,
    verdict: (@Sendable (HTTPResponse) -> String?)? = nil
  ) {
    (self.number, self.others, self.mayHaveArrived, self.verdict) = (number, others, mayHaveArrived, verdict)
  }

  /// - Throws: ``RequestError`` of kind `status` for a response that the rules of the entity call a refusal.
  package func check(_ response: HTTPResponse) throws {
    guard (200..<300).contains(response.status), let problem = verdict?(response) else { return }
    throw RequestError(.status, problem, response: response)
  }

  func end(in rows: RowWriter) throws {
    if mayHaveArrived { try rows.outbox.giveUpRequest(of: number) }
    try rows.outbox.remove(numbers: (mayHaveArrived ? [] : [number]) + others)
    rows.notes.mayHaveOwnValues = mayHaveArrived
  }
}
