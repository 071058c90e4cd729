import EntityJSON
import EntityStore
import HTTPFoundation

/// How a response is read, with all that is needed for it: as objects of an entity, a value, or the model of a route.
///
/// It is the second half of an exchange. For a response that another client delivered it is the whole exchange.
protocol ResponseReading: Sendable {
  associatedtype Output: Sendable

  /// The numbers of requests, in the store that the response goes to.
  var numbers: RequestSequence { get }
  /// The order that the server's hints are counted in.
  var hints: RequestSequence { get }
  /// Whether a DELETE deletes rows. When its answer comes, the server has deleted the object: a body that can't be read
  /// changes nothing.
  static var deletesRows: Bool { get }

  /// - Throws: ``RequestError`` for options that don't go with the request. Nothing is sent then.
  func check(_ facts: RequestFacts) throws
  /// The statuses besides 2xx that mean success of the request.
  func alsoSuccess(_ response: HTTPResponse, _ facts: RequestFacts) async throws -> Set<Int>
  /// Whether the body of a success says nothing of objects, as that of a refusal of a range.
  func ignoresBody(_ response: HTTPResponse) -> Bool
  /// Ends the notes of answers, because the server has done a request that changes something.
  func endAnswers(_ facts: RequestFacts) async
  /// The result of the exchange: sends its request, and reads the response.
  func result(of exchange: RequestExchange<Self>, _ sequence: RequestNumber) async throws -> Output
  /// Reads a response that is a success.
  func read(_ response: HTTPResponse, _ body: JSONValue?, to sent: SentRequest) async throws -> Output
  /// Adds what a report says of the result.
  func note(_ result: Output, in report: inout ExchangeReport)
}

extension ResponseReading {
  var hints: RequestSequence { numbers }

  func check(_ facts: RequestFacts) throws {}

  func ignoresBody(_ response: HTTPResponse) -> Bool { false }

  func note(_ result: Output, in report: inout ExchangeReport) {}

  func result(of exchange: RequestExchange<Self>, _ sequence: RequestNumber) async throws -> Output {
    try await exchange.sendAndTake(sequence)
  }

  /// Takes in a complete response.
  ///
  /// - Parameter value: The body, if it is parsed already.
  func take(_ response: HTTPResponse, value: JSONValue? = nil, to sent: SentRequest) async throws -> Output {
    let facts = sent.facts
    let isWrite = facts.method?.isSafe == false && !facts.onlyReads
    let deletes = Self.deletesRows && facts.method == .delete
    try facts.check(response, alsoSuccess: try await alsoSuccess(response, facts))
    if isWrite { await endAnswers(facts) }
    do {
      // A cancelled task, too, deletes the row of an object that the server has deleted.
      if !deletes { try Task.checkCancellation() }
      let body: JSONValue?
      do {
        body = ignoresBody(response) ? nil : try value ?? facts.body(of: response)
      } catch {
        guard deletes else { throw Task.isCancelled ? CancellationError() : error }
        body = nil
      }
      try facts.judge(response, body)
      return try await read(response, body, to: sent)
    } catch var error as RequestError {
      error.response = error.response ?? response
      // A refusal that a verdict found is none that the server has accepted.
      error.wasAccepted = isWrite && error.kind != .status
      throw error
    }
  }

  /// Takes in a response that another client delivered.
  ///
  /// - Parameter value: The body, if it is parsed already.
  @concurrent func take(
    delivered response: HTTPResponse, value: JSONValue? = nil, _ facts: RequestFacts
  ) async throws -> Output {
    do {
      try Task.checkCancellation()
      try check(facts)
      let sequence = numbers.begin()
      defer { numbers.end(sequence) }
      return try await take(response, value: value, to: SentRequest(facts: facts, sequence: sequence))
    } catch {
      throw facts.told(error)
    }
  }
}

/// A request that was sent, by this client or another one, while its response is read.
struct SentRequest: Sendable {
  let facts: RequestFacts
  let sequence: RequestNumber
  /// Called with the progress of the upsert.
  var progress: (@Sendable (Double) -> Void)?
}

/// The facts of a request by which its response is read.
struct RequestFacts: Sendable {
  /// `nil` when only the body of the response is known.
  var request: URLRequest?
  /// The method of the request, which the caller's closure may have changed; `nil` when it is not known.
  var method: HTTPMethod?
  let bodies: BodyReading
  /// Whether the request only reads, as a POST to a search does.
  var onlyReads = false
  /// Whether a server gave the status. Otherwise the status of a success stands in for it.
  var hasStatus = true

  /// The URL of the request, and not of a redirect.
  var url: URL? { request?.url }

  /// - Throws: ``RequestError`` of kind `status` for a response that is no success, with the error model of its body.
  func check(_ response: HTTPResponse, alsoSuccess: Set<Int> = []) throws {
    try ResponseStatus.check(response, to: method ?? .get, at: url, alsoSuccess: alsoSuccess, bodies)
  }

  /// - Throws: ``RequestError`` of kind `status` for a success that a verdict calls a refusal; the error of a verdict.
  func judge(_ response: HTTPResponse, _ body: JSONValue?) throws {
    try ResponseStatus.judge(response, body, to: method ?? .get, bodies)
  }

  /// The parsed body; `nil` when there is none.
  ///
  /// - Throws: ``RequestError`` of kind `parsing`.
  func body(of response: HTTPResponse) throws -> JSONValue? {
    try ResponseParsing.value(of: response, to: method ?? .get, bodies)
  }

  /// An error of this request, with all that the caller needs.
  func told(_ error: any Error) -> any Error {
    guard var error = error as? RequestError else { return error }
    error.reading = bodies
    error.hasStatus = hasStatus
    return error.about(method, url)
  }
}
