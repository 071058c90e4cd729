public import EntityStore
public import HTTPFoundation

extension Client {
  /// Takes a message that a server pushed into the store: what a WebSocket delivered, or the payload of a notification.
  ///
  /// ```swift
  /// for try await frame in socket { try await client.receive(PushedMessage(data: frame), by: rules) }
  /// ```
  ///
  /// The message counts as arrived now: its values are newer than those of all requests that were sent before, and older
  /// than those of requests that are sent from here on. An entity with a `versionAttribute` goes by version instead.
  /// On the main actor the objects of the main context are up to date when it returns.
  ///
  /// - Parameters:
  ///   - message: The message.
  ///   - rules: The effect of the message; see ``PushRules``.
  ///   - store: Where the objects are kept; by default the client's store.
  /// - Returns: The message, and what it did. A payload that can't be read is an outcome, and no error.
  /// - Throws: ``RequestError`` of kind `upsert` when the store can't be written, and of kind `noStore`; the error of a
  ///   refresh; `CancellationError`.
  @discardableResult
  public nonisolated(nonsending) func receive(
    _ message: PushedMessage, by rules: PushRules, in store: EntityStore? = nil
  ) async throws -> ReceivedMessage {
    let receiver = PushReceiver(self, rules, store)
    let arrival = receiver.arrival()
    let received: ReceivedMessage
    do { received = atCaller(try await receiver.take(message, arrival)) } catch { throw atCaller(error) }
    return MainMerge.merged(received, #isolation)
  }

  /// The server-sent events of a resource, each taken into the store before it is handed out; see ``ServerSentEvents``.
  ///
  /// Nothing is sent before the first event is asked for.
  ///
  /// - Parameters:
  ///   - resource: A path relative to ``baseURL``, or an absolute URL.
  ///   - query: Added to the query that the resource has.
  ///   - rules: The effects of the events; see ``PushRules``. With `[]` they do nothing, and are handed out.
  ///   - store: Where the objects are kept; by default the client's store.
  ///   - options: How the stream is read.
  ///   - allowed: Where the resource may lead besides the URLs below the base URL; see ``ResourceAllowance``.
  ///   - clock: Measures waits and silence; a test gives a virtual one.
  ///   - modify: Changes each request after all defaults and before it is sent.
  public func serverSentEvents(
    _ resource: String? = nil, query: QueryParameters = [:], by rules: PushRules, in store: EntityStore? = nil,
    options: EventStreamOptions = EventStreamOptions(), allowing allowed: ResourceAllowance = [],
    clock: any Clock<Duration> = ContinuousClock(),
    modify: @escaping @Sendable (inout URLRequest) throws -> Void = { _ in }
  ) -> ServerSentEvents {
    ServerSentEvents(
      receiver: PushReceiver(self, rules, store), options: options, time: EventStreamTime(clock)
    ) { [self] in
      var request = try self.request(.get, resource, query: query, allowing: allowed)
      request.setValue("text/event-stream", forHTTPHeaderField: "Accept")
      request.setValue("no-cache", forHTTPHeaderField: "Cache-Control")
      // Thirty years: the options say how long a server may be silent.
      request.timeoutInterval = 1e9
      try modify(&request)
      return request
    }
  }
}
