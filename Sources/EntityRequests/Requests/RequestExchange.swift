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

  @concurrent func run() async throws -> Reading.Output {
    try await observed { try await $0.attempt() }
  }

  /// Sends the request and takes its response in, with a report on both for the observers of the client.
  ///
  /// - Parameter body: Called with the exchange that notes what the report says.
  @concurrent func observed<T: Sendable>(_ body: @Sendable (Self) async throws -> T) async throws -> T {
    guard let observers = fetch.observers, observers.areAny else { return try await body(self) }
    var exchange = self
    let notes = ExchangeNotes()
    exchange.notes = notes
    do {
      let result = try await CommitTrail.$current.withValue(notes.trail) { [exchange] in try await body(exchange) }
      observers.tell(notes.report(fetch))
      return result
    } catch {
      observers.tell(notes.report(fetch, failedBy: error))
      throw error
    }
  }

  @concurrent private func attempt() async throws -> Reading.Output {
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

  /// The response to the request, with any status.
  func send() async throws -> HTTPResponse {
    // A write shares no transfer. A read that its adapters send in between is none of this request.
    let response = try await TransferMoment.$current.withValue(nil) { try await fetch.send() }
    notes?.note(response)
    return response
  }

  /// The response to a read, with any status, and the transfer that brought it, if other reads share that.
  ///
  /// - Parameter sequence: The number of the read.
  func sendRead(_ sequence: RequestNumber) async throws -> (HTTPResponse, HeldNumber?) {
    let moment = TransferMoment(reading.numbers, sequence, hints: reading.hints)
    do {
      let response = try await TransferMoment.$current.withValue(moment) { try await fetch.send() }
      notes?.note(response)
      return (response, moment.end())
    } catch {
      _ = moment.end()
      throw error
    }
  }

  /// Sends the request, and takes in the complete response.
  func sendAndTake(_ sequence: RequestNumber) async throws -> Reading.Output {
    guard fetch.method == .get || fetch.method == .head else { return try await take(try await send(), sequence) }
    let (response, transfer) = try await sendRead(sequence)
    defer { withExtendedLifetime(transfer) {} }
    return try await take(response, transfer?.number ?? sequence)
  }

  /// Takes in a complete response.
  func take(_ response: HTTPResponse, _ sequence: RequestNumber) async throws -> Reading.Output {
    reading.numbers.clock.hear(response)
    notes?.note(response)
    let sent = SentRequest(facts: fetch.facts, sequence: sequence, progress: meter?.upsertHandler)
    return noted(try await reading.take(response, to: sent))
  }

  /// A result, of which the report on the exchange tells.
  func noted(_ result: Reading.Output) -> Reading.Output {
    notes?.note { [reading] in reading.note(result, in: &$0) }
    return result
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
