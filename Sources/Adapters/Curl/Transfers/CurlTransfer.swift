internal import CCurl
internal import EntityRequests
internal import Foundation

/// The engine's side of one exchange. Not `Sendable`: it is made, used and dropped on the engine's thread.
final class CurlTransfer {
  enum State { case new, waiting, running, finished }

  let exchange: CurlExchange
  // Safe: the loop lives as long as the process. A counted reference costs atomic operations for each line and byte.
  unowned(unsafe) let loop: CurlLoop
  var delivery: Delivery?
  var state = State.new
  /// The places at the origin, one of which the transfer has or waits for.
  var places: ConnectionPlaces.OriginPlaces?
  /// Whether the transfer has a place at the origin. If it still waits, it waits for a place of the pool.
  var hasPlace = false

  var handle: CurlHandle?
  /// When libcurl got the request; `nil` while it waits for a place.
  var begin: Moment?

  /// How often libcurl was about to send the request on a connection.
  var attempts = 0
  /// The bytes that libcurl counted before the last attempt: those of earlier attempts, and of a proxy's tunnel.
  var requestSizeBefore: Int64 = 0
  /// When the first byte of the response came.
  var firstByte: Moment?
  /// The error for which a callback stopped the transfer. It says more than the code that libcurl then reports.
  var failure: TransportError?
  var parser = ResponseHeadParser()
  var body = Data()
  var received: Int64 = 0
  /// The bytes of all heads and of trailer fields.
  var headBytes = 0
  /// The bytes of the body handed to libcurl since the last rewind.
  var taken: Int64 = 0
  /// The number of bytes of the body that libcurl last said it had sent.
  private var sentOnWire: Int64 = 0
  /// Whether libcurl has the body's last byte.
  var isUploadEnded = false {
    didSet { if isUploadEnded { window = nil } }
  }
  /// Whether the request was not sent, because the kept connection had bytes, or had ended, or is another user's.
  var isConnectionStale = false
  var hasConnectionOfAnother = false
  var isUploadPaused = false
  var isDownloadPaused = false
  /// The time from which a silence counts: the beginning of a turn with activity, and its end once the turn is over.
  private(set) var lastActivity: Moment
  private var isActive = false
  /// The time from which moved bytes are counted, and the number of bytes that had moved before; `nil` while nothing is
  /// counted.
  var window: (begin: Moment, moved: Int64)?

  private var reported: TransferProgress?
  var lastReport: Moment?
  var isProgressDue = false

  init(_ exchange: CurlExchange, _ delivery: Delivery, loop: CurlLoop) {
    self.exchange = exchange
    self.delivery = delivery
    self.loop = loop
    lastActivity = exchange.begin
  }

  var placeKey: ConnectionPlaces.Key {
    ConnectionPlaces.Key(adapter: exchange.settings.id, origin: exchange.request.origin)
  }

  /// Whether a silence is the server's; while paused it is the caller who is slow.
  var isIdleClockRunning: Bool { attempts > 0 && !isUploadPaused && !isDownloadPaused }

  /// Restarts the clock of silence.
  func becomeActive() {
    guard !isActive else { return }
    isActive = true
    lastActivity = loop.now
    loop.becameActive(self)
  }

  /// Ends a turn with activity.
  func endTurn(begin: Moment, end: Moment) {
    isActive = false
    lastActivity = end
    if window?.begin == begin { window?.begin = end }
  }

  /// Notes that a byte came or went. The clock of silence restarts, and a window begins if there is none.
  func markActivity() {
    becomeActive()
    guard window == nil, let throughput = exchange.limits.throughput else { return }
    window = (lastActivity, moved)
    loop.checkNoLater(than: lastActivity + throughput.duration)
  }

  /// The bytes that moved in both directions.
  var moved: Int64 { Int64(headBytes) + received + uploaded }

  var uploaded: Int64 {
    var uploaded: Int64 = 0
    if let handle { ccurl_get_offset(handle.easy, CURLINFO_SIZE_UPLOAD_T, &uploaded) }
    return uploaded
  }

  /// Whether a body or a head is under way. Between the two the server thinks, which is no lack of throughput.
  var isBodyUnderWay: Bool {
    guard isIdleClockRunning else { return false }
    return parser.isUnderWay || (taken > 0 && !isUploadEnded)
  }

  /// Looks at the TLS connection of the transfer, which an earlier transfer may have opened.
  func lookAtTLS() {
    guard let handle, CurlEngine.observesTLS, exchange.request.origin.scheme == "https" else { return }
    ccurl_tls_look(handle.easy, handle.tls)
  }

  /// The events of the TLS connection; `nil` when they are not observed.
  var tlsEvents: Int32? {
    guard let handle, CurlEngine.observesTLS, handle.tls.pointee.events != nil else { return nil }
    return ccurl_tls_events(handle.tls)
  }

  /// Notes that libcurl has sent bytes of the body, or begins it anew.
  ///
  /// - Parameter sent: libcurl's count.
  func noteSent(_ sent: Int64) {
    guard sent != sentOnWire else { return }
    sentOnWire = sent
    becomeActive()
    markProgress()
  }

  func markProgress() {
    guard exchange.progress != nil, !isProgressDue else { return }
    isProgressDue = true
    loop.progressBecameDue(self)
  }

  /// The present counts. They never go back, although a body that is sent again starts at zero.
  func currentProgress() -> TransferProgress {
    // libcurl's count includes the framing of chunks, and ours the bytes that are still in its buffer: the lesser count
    // is right.
    let sent = max(min(taken, uploaded), reported?.bytesSent ?? 0)
    let head = parser.head
    let progress = TransferProgress(
      bytesSent: sent, bytesToSend: exchange.payload.length, bytesReceived: received,
      bytesToReceive: head?.contentLength)
    return progress
  }

  func report(at now: Moment) {
    isProgressDue = false
    let progress = currentProgress()
    guard progress != reported else { return }
    reported = progress
    lastReport = now
    exchange.progress?.report(progress)
  }

  /// Resumes the waiting task once, and closes the caller's progress and body.
  func deliver(_ result: Result<Void, any Error>) {
    if let progress = exchange.progress {
      let final = (try? result.get()).map { currentProgress() }
      progress.close(final: final == reported ? nil : final)
    }
    if case .pipe(let pipe) = exchange.payload { pipe.close() }
    guard let delivery else { return }
    self.delivery = nil
    let metrics = metrics()
    let result = result.measured(metrics)
    switch (delivery, result) {
    case (.whole(let continuation), .success):
      guard let head = parser.head else { return continuation.resume(throwing: missingHead()) }
      continuation.resume(returning: ReceivedResponse(head: head, body: body, metrics: metrics))
    case (.whole(let continuation), .failure(let error)): continuation.resume(throwing: error)
    case (.pieces(let continuation, let pipe), _):
      exchange.metrics = metrics
      if isHeadDelivered { return pipe.finish(result) }
      switch result {
      case .success: continuation.resume(throwing: missingHead())
      case .failure(let error): continuation.resume(throwing: error)
      }
    }
  }

  /// Whether pieces of a streamed body came in this turn.
  private var hasPieces = false

  func markPieces() {
    guard !hasPieces else { return }
    hasPieces = true
    loop.piecesCame(for: self)
  }

  /// Hands the pieces of this turn to the reader of a streamed body.
  func wakeReader() {
    hasPieces = false
    if case .pieces(_, let pipe) = delivery { pipe.wake() }
  }

  private var isHeadDelivered = false

  /// For a streamed response: hands over the head as soon as it is complete.
  func deliverHead(_ head: ResponseHead) {
    guard case .pieces(let continuation, _) = delivery, !isHeadDelivered else { return }
    isHeadDelivered = true
    continuation.resume(returning: head)
  }

  private func missingHead() -> TransportError {
    TransportError(
      .badResponse, "\(exchange.request.origin.description) sent no complete response head.", mayHaveBeenProcessed: true
    )
  }
}
