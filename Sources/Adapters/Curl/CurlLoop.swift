internal import CCurl
internal import EntityRequests
internal import Foundation
internal import Synchronization

/// The work of the engine's thread: drain the mailbox, let libcurl work, collect finished transfers, wait.
///
/// Not `Sendable`: it is made on the engine's thread and never leaves it.
final class CurlLoop {
  private let engine: CurlEngine
  private let multi: UnsafeMutableRawPointer
  private(set) var transfers: [ObjectIdentifier: CurlTransfer] = [:]
  let sockets: OpaquePointer
  private var places = ConnectionPlaces(limit: CurlLoop.maximumConnections)
  /// Transfers that took over a place and are to begin. They stand in a line: a transfer that fails at once frees its
  /// place for the next, and a long run of failures must not become a deep recursion.
  private var ready: ArraySlice<CurlTransfer> = []
  private var idleHandles = IdleHandles(limit: CurlLoop.maximumConnections)
  private var refusedUploads: [CurlTransfer] = []
  private(set) var dueProgress: [CurlTransfer] = []
  /// The beginning of this turn. It is the time of all that happens in the turn, because a look at the clock for each
  /// byte costs more than the bytes.
  private(set) var now = Moment.now
  /// The transfers that received pieces of a streamed body in this turn.
  private var streaming: [CurlTransfer] = []
  /// The transfers that were active in this turn.
  private var active: [CurlTransfer] = []
  /// No deadline is earlier than this; `nil` when there is none.
  var nextCheck: Moment?

  private static let maximumConnections = 256
  static let progressInterval = Duration.milliseconds(20)

  init(engine: CurlEngine, multi: UnsafeMutableRawPointer) {
    self.engine = engine
    self.multi = multi
    sockets = ccurl_sockets_make()
    // A bound for the file descriptors of the whole process. No more exchanges run at once, so none waits in libcurl.
    ccurl_multi_set_long(multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, Self.maximumConnections)
    // All connections are kept. If fewer were kept than are in use, libcurl would close one after each exchange, and
    // open another for the next.
    ccurl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, Self.maximumConnections)
  }

  func run() -> Never {
    while true {
      // A thread that never ends needs its own autorelease pools on Apple's systems.
      autoreleasepool { turn() }
      // A turn lets libcurl work on all transfers, so commands that came meanwhile need no wait in between.
      guard engine.fallAsleep() else { continue }
      var events: Int32 = 0
      if curl_multi_poll(multi, nil, 0, pollTimeout(), &events) != CURLM_OK {
        // Out of memory or descriptors: try again, but do not spin.
        Thread.sleep(forTimeInterval: 0.01)
      }
    }
  }

  private func turn() {
    now = .now
    for command in engine.drain() { handle(command) }
    beginReady()
    var stillRunning: Int32 = 0
    curl_multi_perform(multi, &stillRunning)
    resumeRefusedUploads()
    collect()
    flushProgress(now)
    if let nextCheck, nextCheck <= now { checkDeadlines(now) }
    beginReady()
    wakeReaders()
    stampActive()
    idleHandles.trim(now)
  }

  /// Gives the active transfers the end of the turn as the time of their bytes. A silence that is counted from the
  /// beginning of a long turn has not lasted that long.
  private func stampActive() {
    guard !active.isEmpty else { return }
    let end = Moment.now
    for transfer in active { transfer.endTurn(begin: now, end: end) }
    active.removeAll(keepingCapacity: true)
  }

  func becameActive(_ transfer: CurlTransfer) { active.append(transfer) }

  func piecesCame(for transfer: CurlTransfer) { streaming.append(transfer) }

  /// Wakes readers at the end of a turn, when there is less than a full piece. Waking a task for each write of libcurl
  /// takes longer than the write.
  private func wakeReaders() {
    guard !streaming.isEmpty else { return }
    for transfer in streaming { transfer.wakeReader() }
    streaming.removeAll(keepingCapacity: true)
  }

  private func handle(_ command: CurlEngine.Command) {
    switch command {
    case .start(let exchange, let delivery): start(CurlTransfer(exchange, delivery, loop: self))
    case .abort(let exchange, let error):
      if let transfer = transfers[ObjectIdentifier(exchange)] { finish(transfer, .failure(error)) }
    case .resumeUpload(let exchange):
      guard let transfer = transfers[ObjectIdentifier(exchange)], transfer.isUploadPaused else { return }
      transfer.isUploadPaused = false
      unpause(transfer)
    case .resumeDownload(let exchange):
      guard let transfer = transfers[ObjectIdentifier(exchange)], transfer.isDownloadPaused else { return }
      transfer.isDownloadPaused = false
      unpause(transfer)
    }
  }

  private func start(_ transfer: CurlTransfer) {
    transfers[ObjectIdentifier(transfer.exchange)] = transfer
    if transfer.exchange.isCancelled.load(ordering: .acquiring) {
      return finish(transfer, .failure(CancellationError()))
    }
    let exchange = transfer.exchange
    if let idle = exchange.limits.idle { checkNoLater(than: exchange.begin + transfer.step(idle)) }
    if let total = exchange.limits.total { checkNoLater(than: exchange.begin + total) }
    if places.enter(transfer) { begin(transfer) }
  }

  private func beginReady() {
    while let next = ready.popFirst() {
      if next.state == .running { begin(next) }
    }
  }

  /// Hands a transfer that has its place to libcurl.
  private func begin(_ transfer: CurlTransfer) {
    guard let handle = idleHandles.take(for: transfer.exchange.settings) ?? CurlHandle() else {
      return finish(transfer, .failure(outOfMemory()))
    }
    transfer.handle = handle
    handle.transfer = transfer
    do throws(TransportError) {
      try CurlOptions(handle).apply(transfer)
    } catch {
      return finish(transfer, .failure(error))
    }
    guard curl_multi_add_handle(multi, handle.easy) == CURLM_OK else {
      return finish(transfer, .failure(outOfMemory()))
    }
    handle.isInMulti = true
    // Until libcurl begins this request, the handle has the figures of an earlier one.
    transfer.begin = now
    transfer.becomeActive()
  }

  private func unpause(_ transfer: CurlTransfer) {
    guard let handle = transfer.handle else { return }
    transfer.becomeActive()
    let mask =
      (transfer.isUploadPaused ? CURLPAUSE_SEND : CURLPAUSE_SEND_CONT)
      | (transfer.isDownloadPaused ? CURLPAUSE_RECV : CURLPAUSE_RECV_CONT)
    // libcurl may call the write callback before this call returns.
    let code = curl_easy_pause(handle.easy, mask)
    // A transfer between two connections has nothing paused: libcurl then says "bad function argument".
    if code != CURLE_OK, code != CURLE_BAD_FUNCTION_ARGUMENT { finish(transfer, .failure(transfer.error(code))) }
  }

  func uploadWasRefused(_ transfer: CurlTransfer) { refusedUploads.append(transfer) }

  /// With a status of 300 or more libcurl sends no more of the body. A paused upload has to be resumed all the same,
  /// else the transfer is never seen as complete.
  private func resumeRefusedUploads() {
    let refused = refusedUploads
    refusedUploads = []
    for transfer in refused where transfer.state == .running && transfer.isUploadPaused {
      transfer.isUploadPaused = false
      unpause(transfer)
    }
  }

  private func collect() {
    var left: Int32 = 0
    while let message = curl_multi_info_read(multi, &left) {
      guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle,
        let context = ccurl_get_private(easy),
        // Valid: see CurlHandle.
        let transfer = Unmanaged<CurlHandle>.fromOpaque(context).takeUnretainedValue().transfer
      else { continue }
      // The message is gone once the handle is removed.
      finish(transfer, message.pointee.data.result)
    }
  }

  private func finish(_ transfer: CurlTransfer, _ code: CURLcode) {
    // Over its whole life a handle counts the requests that libcurl sent again. libcurl gives up at the sixth.
    if code != CURLE_OK || transfer.attempts > 1 { transfer.handle?.isPlain = false }
    if code == CURLE_ABORTED_BY_CALLBACK, transfer.isConnectionStale { return sendOnAnotherConnection(transfer) }
    if code == CURLE_OK || (transfer.isExpectationRefused && transfer.failure == nil) {
      finish(transfer, transfer.cutOff.map { .failure($0) } ?? .success(()))
    } else {
      finish(transfer, .failure(transfer.error(code)))
    }
  }

  /// Sends a request on another connection. Nothing of the request was sent, because the kept connection is another
  /// user's tunnel, or had bytes: an answer that came too late, or the server's farewell. libcurl would take these
  /// bytes for the answer to this request. libcurl has closed the kept connection if it is one of HTTP/1.1. A
  /// connection of HTTP/2 stays, and would be found first again. Then the new connection is not kept, or each request
  /// would open one more.
  private func sendOnAnotherConnection(_ transfer: CurlTransfer) {
    guard let handle = transfer.handle else { return }
    transfer.isConnectionStale = false
    guard transfer.rewind() else { return finish(transfer, .failure(transfer.error(CURLE_SEND_FAIL_REWIND))) }
    curl_multi_remove_handle(multi, handle.easy)
    handle.errorBuffer[0] = 0
    handle.isPlain = false
    guard ccurl_set_long(handle.easy, CURLOPT_FRESH_CONNECT, 1) == CURLE_OK,
      !transfer.hasConnectionOfAnother || !CurlOptions.isSafeWithHTTP2
        || ccurl_set_long(handle.easy, CURLOPT_FORBID_REUSE, 1) == CURLE_OK,
      curl_multi_add_handle(multi, handle.easy) == CURLM_OK
    else {
      handle.isInMulti = false
      return finish(transfer, .failure(outOfMemory()))
    }
    // libcurl's times begin anew.
    transfer.begin = now
  }

  /// The only way out for a transfer: takes it from libcurl, resumes its caller, lets the next one start.
  func finish(_ transfer: CurlTransfer, _ result: Result<Void, any Error>) {
    guard transfer.state != .finished else { return }
    let wasRunning = transfer.state == .running
    transfer.state = .finished
    transfers[ObjectIdentifier(transfer.exchange)] = nil
    let handle = transfer.handle
    if let handle, handle.isInMulti {
      handle.isInMulti = false
      // If the exchange is not complete, this closes its connection.
      curl_multi_remove_handle(multi, handle.easy)
    }
    transfer.deliver(result)
    transfer.handle = nil
    if let handle { recycle(handle, isClean: (try? result.get()) != nil) }
    if let next = places.leave(transfer, wasRunning: wasRunning) { ready.append(next) }
  }

  /// A handle that failed may still have a name lookup under way, so it is not used again.
  private func recycle(_ handle: CurlHandle, isClean: Bool) {
    handle.transfer = nil
    ccurl_tls_release(handle.tls)
    if isClean { idleHandles.add(handle) }
  }

  // MARK: Time

  func progressBecameDue(_ transfer: CurlTransfer) { dueProgress.append(transfer) }

  func checkNoLater(than instant: Moment) {
    nextCheck = min(nextCheck ?? instant, instant)
  }

  /// Reports at most once per interval and transfer. A report that is held back goes out when the interval is over, not
  /// when the next byte comes.
  private func flushProgress(_ now: Moment) {
    guard !dueProgress.isEmpty else { return }
    let due = dueProgress
    dueProgress = []
    for transfer in due where transfer.state == .running {
      let time = transfer.lastReport.map { $0 + Self.progressInterval } ?? now
      if time <= now {
        transfer.report(at: now)
      } else {
        dueProgress.append(transfer)
        checkNoLater(than: time)
      }
    }
  }

  private func pollTimeout() -> Int32 {
    guard let nextCheck else { return 60_000 }
    let left = (nextCheck - .now).components
    guard left.seconds < 60 else { return 60_000 }
    // Rounded up: waking too early would spin until the deadline.
    return Int32(max(0, left.seconds * 1000 + left.attoseconds / 1_000_000_000_000_000 + 1))
  }
}

#if !canImport(ObjectiveC)
  private func autoreleasepool(_ body: () -> Void) { body() }
#endif
