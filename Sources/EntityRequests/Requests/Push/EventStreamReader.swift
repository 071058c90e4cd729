import EntityStore
import Foundation
import HTTPFoundation

/// The state of an iteration over server-sent events: connections, one after the other, and the events between them and
/// the store.
struct EventStreamReader: Sendable {
  private let events: ServerSentEvents
  private var connection: EventConnection?
  /// The events that have arrived and are not taken in, the last one first.
  private var waiting: [PushedMessage] = []
  private var arrival: HeldNumber?
  private var place: EventStreamPlace?
  private var pause: ReconnectionPause
  /// Whether a connection was open before.
  private var hasConnected = false
  private var isEnded = false

  init(_ events: ServerSentEvents) {
    self.events = events
    pause = ReconnectionPause(events.options)
  }

  mutating func end() {
    isEnded = true
    (connection, waiting, arrival) = (nil, [], nil)
  }

  /// The next event, once it is taken in; `nil` at the end of the stream.
  @concurrent mutating func next() async throws -> ReceivedMessage? {
    while !isEnded {
      try Task.checkCancellation()
      if let message = waiting.popLast(), let arrival {
        if let received = try await take(message, arrival) { return received }
        continue
      }
      if connection?.hasRest != true { arrival = nil }
      if connection == nil { try await connect() }
      if isEnded { return nil }
      guard connection != nil else { continue }
      do {
        guard let piece = try await connection?.next() else {
          try await reconnect(after: nil)
          continue
        }
        // The number of the events is that of their arrival, however late the reader asks for them. The rest of a large
        // piece has arrived with its beginning.
        if arrival == nil { arrival = events.receiver.arrival() }
        waiting = try connection?.events(in: piece).reversed() ?? []
        noteRetry()
      } catch let error as RequestError where error.kind == .transport {
        try await reconnect(after: error)
      }
    }
    return nil
  }

  // MARK: Taking in

  /// - Returns: `nil` where the message comes again with the next connection.
  private mutating func take(_ message: PushedMessage, _ arrival: HeldNumber) async throws -> ReceivedMessage? {
    var hasFailed = false
    while true {
      do {
        let received = try await events.receiver.take(message, arrival, keeping: place?.position(message.id))
        place?.note(message.id)
        if hasFailed { pause.succeed() }
        // The number ends here, and not when the reader asks for another event.
        if waiting.isEmpty, connection?.hasRest != true { self.arrival = nil }
        return received
      } catch let error as RequestError where error.isOfPassingFault {
        if isRepeated(message) {
          // The place stays before the message.
          try await reconnect(after: error, repeating: true)
          return nil
        }
        // Nobody sends the message again. It waits here, and those behind it wait, too. It says that the connection works.
        if !hasFailed { pause.succeed() }
        hasFailed = true
        guard pause.fail() else { throw error }
        try await events.time.sleep(pause.duration(notBefore: nil))
      }
    }
  }

  /// Whether the server sends a message and those behind it again after a break: each has an id of its own.
  private func isRepeated(_ message: PushedMessage) -> Bool {
    // Nothing tells the ids of what has arrived and was not read yet.
    if connection?.hasRest == true { return false }
    var last = place?.id ?? ""
    for next in [message] + waiting.reversed() {
      guard let id = next.id, id != last else { return false }
      last = id
    }
    return true
  }

  // MARK: Connecting

  private mutating func connect() async throws {
    let made = try events.request()
    // The id of one account is not sent for another one, and not kept for it.
    if place?.isCurrent(events) != true { place = try await EventStreamPlace(made, events) }
    var request = made
    if let id = place?.id, !id.isEmpty { request.setValue(id, forHTTPHeaderField: "Last-Event-ID") }
    let opening: EventConnection.Opening
    do {
      opening = try await EventConnection.open(request, place?.id ?? "", events)
    } catch let error as RequestError where error.isOfPassingFault {
      return try await reconnect(after: error)
    }
    switch opening {
    case .opened(let opened): try await begin(opened)
    case .ended: end()
    case .refused(let error, let wait): try await reconnect(after: error, notBefore: wait)
    }
  }

  private mutating func begin(_ opened: EventConnection) async throws {
    if hasConnected, let refresh = events.options.afterBreak {
      events.receiver.noteHint()
      do { try await refresh() } catch let error as RequestError where error.isOfPassingFault {
        return try await reconnect(after: error)
      }
    }
    (connection, hasConnected) = (opened, true)
  }

  /// Waits for the time of the next connection.
  ///
  /// - Parameters:
  ///   - error: The failure of the last one; `nil` where the server has ended it.
  ///   - wait: The wait for which the server asked.
  ///   - isRepeating: Whether the last event is to come again.
  /// - Throws: The error, after too many failures in a row.
  private mutating func reconnect(
    after error: RequestError?, notBefore wait: Duration? = nil, repeating isRepeating: Bool = false
  ) async throws {
    if !isRepeating {
      // A block without data moves the place, too; it is kept with the next event.
      if let id = connection?.lastID { place?.move(to: id) }
      if connection?.isHeard == true { pause.succeed() }
    }
    (connection, waiting, arrival) = (nil, [], nil)
    if let error {
      guard pause.fail() else { throw error }
    }
    try await events.time.sleep(pause.duration(notBefore: wait))
  }

  private mutating func noteRetry() {
    if let retry = connection?.retry { pause.base = .milliseconds(min(retry, 1_000_000_000_000)) }
  }
}

/// The waits between connections.
struct ReconnectionPause: Sendable {
  private let options: EventStreamOptions
  /// The wait that the server has named, within its limits.
  var base: Duration {
    didSet {
      let bounds = options.reconnectionTimes
      base = min(max(base, bounds.lowerBound), bounds.upperBound)
    }
  }
  private var failures = 0

  init(_ options: EventStreamOptions) {
    self.options = options
    base = options.reconnectionTime
  }

  mutating func succeed() { failures = 0 }

  /// - Returns: False when the failures are too many.
  mutating func fail() -> Bool {
    failures += 1
    return options.maximumFailures.map { failures <= $0 } ?? true
  }

  /// The wait before the next connection: it doubles with each failure after the first one, and has up to a half more by
  /// chance, so that many clients do not come back at once.
  ///
  /// - Parameter least: The wait for which the server asked.
  func duration(notBefore least: Duration?) -> Duration {
    let doubled = base * (1 << min(max(0, failures - 1), 20))
    let wait = max(min(doubled, max(options.maximumDelay, base)), least ?? .zero)
    return wait + wait * Double.random(in: 0...0.5)
  }
}

extension RequestError {
  /// Whether the same request may succeed later.
  var isOfPassingFault: Bool {
    switch kind {
    case .transport:
      guard let error = transportError else { return true }
      return ![.invalidRequest, .unsupported, .tls, .forbiddenAddress].contains(error.kind) && !error.isOfApp
    case .status: return status.map(EventConnection.isPassing) ?? false
    default: return false
    }
  }
}
