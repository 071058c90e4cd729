import EntityJSON
import EntityStore
import HTTPFoundation

/// The reading of a response as a value, which is about no entity.
struct ValueReading<Value: Decodable & Sendable>: ResponseReading {
  let envelope: EnvelopeChoice
  /// The numbers belong to no store.
  let numbers = RequestSequence.ofNoStore
  let hints: RequestSequence

  init(_ envelope: EnvelopeChoice, _ client: Client) {
    self.envelope = envelope
    hints = (try? client.store)?.core.requests ?? .ofNoStore
  }

  static var deletesRows: Bool { false }

  func alsoSuccess(_ response: HTTPResponse, _ facts: RequestFacts) async throws -> Set<Int> { [] }

  func endAnswers(_ facts: RequestFacts) async {}

  func read(_ response: HTTPResponse, _ body: JSONValue?, to sent: SentRequest) async throws -> ValueResponse<Value> {
    let bodies = sent.facts.bodies
    let keyPath = try body.flatMap { try envelope.envelope(of: response, $0).keyPath(in: $0, expecting: .any, nil) }
    return ValueResponse(
      value: try bodies.value(Value.self, in: body, at: keyPath), status: response.status,
      headers: response.headers, url: response.url, json: body, metrics: response.metrics, decoder: bodies.decoder)
  }
}
