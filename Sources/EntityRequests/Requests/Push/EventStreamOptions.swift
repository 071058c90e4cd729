import EntityStore

/// How a stream of server-sent events is read; see ``ServerSentEvents``.
public struct EventStreamOptions: Sendable {
  /// The wait before the next connection, until the server names one with `retry`; 3 seconds by default.
  public var reconnectionTime: Duration = .seconds(3)
  /// The waits that a server may name with `retry`; 0.1 seconds to 10 minutes by default. A value beyond them counts as
  /// the nearest one.
  public var reconnectionTimes: ClosedRange<Duration> = .milliseconds(100)...(.seconds(600))
  /// The longest wait after several failures, unless the server names a longer one; 60 seconds by default. The wait
  /// doubles with each failure in a row.
  public var maximumDelay: Duration = .seconds(60)
  /// How many connections, or requests of a hint or of ``afterBreak``, may fail in a row before the sequence throws the error of
  /// the last one; `nil`, the default, sets no limit.
  public var maximumFailures: Int?
  /// How long the server may be silent before the connection counts as broken; 5 minutes by default, and `nil` sets no
  /// limit. A comment breaks the silence. Give twice the time between the comments of the server.
  public var maximumSilence: Duration? = .seconds(300)
  /// The most bytes of one line; 1 MiB by default.
  public var maximumLineBytes = 1 << 20
  /// The most bytes of the data of one event; 16 MiB by default.
  public var maximumEventBytes = 16 << 20
  /// Whether a stream begins where an earlier one ended, in this process or in one before; true by default. The file
  /// keeps the id of the last event in the transaction of its rows. Where headers have
  /// credentials, the file does so only if the client names its account with `identity`.
  public var resumes = true
  /// Called with each connection after the first one, when it is open and before its first event is taken in; `nil` by
  /// default. A server whose events have no ids repeats nothing after a break: read the list again here. Where that fails
  /// with a fault that may pass, the next connection calls it again. Any other error ends the sequence.
  public var afterBreak: (@Sendable () async throws -> Void)?

  /// The values by default.
  public init() {}
}

/// The clock of a stream, of any type.
struct EventStreamTime: Sendable {
  /// - Throws: `CancellationError`.
  let sleep: @concurrent @Sendable (Duration) async throws -> Void
  /// The time since the stream was described.
  let elapsed: @Sendable () -> Duration

  init<C: Clock>(_ clock: C) where C.Duration == Duration {
    let begin = clock.now
    elapsed = { begin.duration(to: clock.now) }
    sleep = { try await clock.sleep(until: clock.now.advanced(by: $0), tolerance: nil) }
  }
}
