import EntityStore
import HTTPFoundation

/// One request with all that it needs, resolved in the task of the caller; it runs apart from the caller's actor.
///
/// It has two halves: ``ResponseFetch`` from the request to the response, and ``ResponseReading`` from there to the result.
struct RequestExchange<Reading: ResponseReading>: Sendable {
  var fetch: ResponseFetch
  var reading: Reading
  private(set) var meter: ProgressMeter?
  private(set) var progress: RequestProgressHandler?
  /// For the report on the exchange; `nil` where nobody observes.
  private var notes: ExchangeNotes?

  init(_ fetch: ResponseFetch, _ reading: Reading) {
    self.fetch = fetch
    self.reading = reading
  }

  @concurrent func run() async throws -> Reading.Result {
    guard let observers = fetch.observers, observers.areAny else { return try await attempt() }
    var exchange = self
    let notes = ExchangeNotes()
    exchange.notes = notes
    do {
      let result = try await CommitTrail.$current.withValue(notes.trail) { [exchange] in try await exchange.attempt() }
      var report = notes.report(fetch)
      reading.note(result, in: &report)
      observers.tell(report)
      return result
    } catch {
      observers.tell(notes.report(fetch, failedBy: error))
      throw error
    }
  }

  @concurrent private func attempt() async throws -> Reading.Result {
    do {
      try reading.check(fetch.facts)
      let sequence = reading.numbers.begin(
        isWrite: fetch.method != .get && fetch.method != .head && !fetch.onlyReads)
      defer { reading.numbers.end(sequence) }
      let result = try await reading.result(of: self, sequence)
      reading.numbers.answered.tell()
      await meter?.finish()
      return result
    } catch {
      if (error as? RequestError)?.response != nil { reading.numbers.answered.tell() }
      throw fetch.facts.told(error)
    }
  }

  /// Takes in a complete response.
  func take(_ response: HTTPResponse, _ sequence: RequestNumber) async throws -> Reading.Result {
    reading.numbers.clock.hear(response)
    notes?.note(response)
    let sent = SentRequest(facts: fetch.facts, sequence: sequence, progress: meter?.upsertHandler)
    return try await reading.take(response, to: sent)
  }

  /// The same exchange without a handler of its progress.
  var unheard: Self { Self(fetch, reading) }

  /// The same exchange with a handler of its progress.
  func heard(by progress: RequestProgressHandler?) -> Self {
    guard let progress else { return self }
    var exchange = reporting(to: progress)
    exchange.progress = progress
    return exchange
  }

  /// The same exchange, which reports its progress to a closure.
  func reporting(to progress: @escaping RequestProgressHandler) -> Self {
    var exchange = self
    let meter = ProgressMeter(progress)
    exchange.meter = meter
    exchange.fetch.progress = meter.transferHandler
    return exchange
  }
}
