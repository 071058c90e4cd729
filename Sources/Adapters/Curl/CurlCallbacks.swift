internal import CCurl
internal import EntityRequests
internal import Foundation

// The functions that libcurl calls, always on the engine's thread. No such function may remove a handle, because
// libcurl is in the middle of using it.

private func transfer(_ context: UnsafeMutableRawPointer?) -> CurlTransfer? {
  // Valid: see CurlHandle.
  context.flatMap { Unmanaged<CurlHandle>.fromOpaque($0).takeUnretainedValue().transfer }
}

/// Any count but the given one stops the transfer.
private let stop = 0

/// The most bytes of all heads of a response, interim heads and trailer fields included. libcurl's own limit has no
/// error text of its own.
private let maximumHeadBytes = 256 << 10

/// CURLOPT_PREREQFUNCTION: the connection is there, the request goes out next.
///
/// When a kept connection turns out to be dead, libcurl sends the request again on another connection, even a POST. The
/// server may have acted on the first request, so only a request that may be done twice is sent twice (RFC 9110
/// §9.2.2).
func onRequest(
  _ context: UnsafeMutableRawPointer?, _ peer: UnsafeMutablePointer<CChar>?, _ own: UnsafeMutablePointer<CChar>?,
  _ peerPort: Int32, _ ownPort: Int32
) -> Int32 {
  guard let transfer = transfer(context) else { return CURL_PREREQFUNC_ABORT }
  let request = transfer.exchange.request
  transfer.becomeActive()
  // After 417 libcurl sends the request anew, without Expect. The response to the first request is there, and says what
  // to do.
  guard transfer.parser.head == nil else { return CURL_PREREQFUNC_ABORT }
  guard transfer.attempts == 0 || request.isIdempotent else {
    transfer.failure = transfer.closedTooEarly("\(request.method) is not sent twice")
    return CURL_PREREQFUNC_ABORT
  }
  guard transfer.isAllowed(peer) else { return CURL_PREREQFUNC_ABORT }
  if let peer, let own {
    let sockets = transfer.loop.sockets
    transfer.hasConnectionOfAnother = transfer.isConnectionAnothers(peer, peerPort, own, ownPort)
    transfer.isConnectionStale =
      transfer.hasConnectionOfAnother
      || transfer.isConnectionKept && ccurl_sockets_have_bytes(sockets, peer, peerPort, own, ownPort)
    guard !transfer.isConnectionStale else { return CURL_PREREQFUNC_ABORT }
  }
  transfer.lookAtTLS()
  transfer.attempts += 1
  transfer.noteRequestSize()
  transfer.window = nil
  // An upload that was paused was paused on another connection.
  transfer.isUploadPaused = false
  return CURL_PREREQFUNC_OK
}

func onHeader(
  _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
  guard let transfer = transfer(context) else { return stop }
  // The clock is read for the first byte, because the turn may have begun before the connection was there.
  if transfer.headBytes == 0 { transfer.firstByte = .now }
  transfer.headBytes += size * count
  transfer.markActivity()
  guard transfer.headBytes <= maximumHeadBytes else {
    return transfer.refuse("There are more than \(maximumHeadBytes >> 10) KiB of header or trailer fields")
  }
  do throws(ResponseHeadParser.Malformed) {
    guard try transfer.parser.add(UnsafeRawBufferPointer(start: bytes, count: size * count)) else {
      if !transfer.parser.isUnderWay { transfer.window = nil }
      return size * count
    }
  } catch {
    return transfer.refuse(error.message)
  }
  guard let head = transfer.parser.head else { return size * count }
  if transfer.hasBody(head) {
    do throws(ResponseHeadParser.Malformed) {
      try head.checkTransferCoding()
      if head.contentLength != 0 { _ = try transfer.exchange.coding(head) }
    } catch {
      return transfer.refuse(error.message)
    }
  }
  if case .whole = transfer.delivery, let length = head.contentLength, transfer.hasBody(head) {
    guard length <= transfer.exchange.settings.configuration.maximumResponseBytes else {
      transfer.failure = transfer.exchange.tooLarge()
      return stop
    }
  }
  if head.status >= 300, transfer.isUploadPaused { transfer.loop.uploadWasRefused(transfer) }
  transfer.deliverHead(head)
  return size * count
}

func onWrite(
  _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
  guard let transfer = transfer(context) else { return stop }
  let bytes = UnsafeRawBufferPointer(start: bytes, count: size * count)
  guard !bytes.isEmpty else { return 0 }
  transfer.markActivity()
  switch transfer.delivery {
  case .whole:
    // libcurl's CURLOPT_MAXFILESIZE does not see chunked bodies.
    guard transfer.received + Int64(bytes.count) <= transfer.exchange.settings.configuration.maximumResponseBytes else {
      transfer.failure = transfer.exchange.tooLarge()
      return stop
    }
    if transfer.received == 0 {
      transfer.body = Data(bytes)
      // The length is a promise of the server: a hint, and worth no more than 1 MiB of memory.
      if let length = transfer.parser.head?.contentLength, length > bytes.count {
        transfer.body.reserveCapacity(Int(min(length, 1 << 20)))
      }
    } else {
      transfer.body.append(contentsOf: bytes)
    }
  case .pieces(_, let pipe):
    guard pipe.queue(bytes) else {
      transfer.isDownloadPaused = true
      transfer.window = nil
      return Int(CURL_WRITEFUNC_PAUSE)
    }
    transfer.markPieces()
  case nil: return stop
  }
  transfer.received += Int64(bytes.count)
  transfer.markProgress()
  return bytes.count
}

func onRead(
  _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
  guard let transfer = transfer(context) else { return Int(CURL_READFUNC_ABORT) }
  let target = UnsafeMutableRawBufferPointer(start: bytes, count: size * count)
  transfer.markActivity()
  // A transfer that asks for bytes is not paused, even if nobody resumed it: a body that is sent again may have bytes
  // at once.
  transfer.isUploadPaused = false
  switch transfer.exchange.payload {
  case .none: return 0
  case .data(let data):
    let part = data.dropFirst(Int(transfer.taken)).prefix(target.count)
    part.withUnsafeBytes { target.copyMemory(from: $0) }
    transfer.taken += Int64(part.count)
    transfer.isUploadEnded = transfer.taken == Int64(data.count)
    return part.count
  case .pipe(let pipe):
    switch pipe.read(into: target) {
    case .bytes(let count):
      transfer.taken += Int64(count)
      transfer.isUploadEnded = transfer.taken == pipe.length
      return count
    case .end:
      transfer.isUploadEnded = true
      return 0
    case .empty:
      transfer.isUploadPaused = true
      transfer.window = nil
      return Int(CURL_READFUNC_PAUSE)
    }
  }
}

/// CURLOPT_SEEKFUNCTION: the body is to be sent again. A stream whose bytes were pulled must be opened once more; if
/// that is impossible, the transfer fails.
func onSeek(_ context: UnsafeMutableRawPointer?, _ offset: curl_off_t, _ origin: Int32) -> Int32 {
  guard let transfer = transfer(context), offset == 0, origin == SEEK_SET else { return CURL_SEEKFUNC_FAIL }
  return transfer.rewind() ? CURL_SEEKFUNC_OK : CURL_SEEKFUNC_FAIL
}

/// CURLOPT_XFERINFOFUNCTION, set for uploads whose progress is asked for: bytes leave libcurl's buffer after they were read
/// into it.
func onProgress(
  _ context: UnsafeMutableRawPointer?, _ toReceive: curl_off_t, _ received: curl_off_t, _ toSend: curl_off_t,
  _ sent: curl_off_t
) -> Int32 {
  transfer(context)?.noteSent(Int64(sent))
  return 0
}

extension CurlTransfer {
  /// Stops the transfer, because its response is not valid.
  fileprivate func refuse(_ reason: String) -> Int {
    failure = TransportError(
      .badResponse, "\(reason), from \(exchange.request.origin.description).", mayHaveBeenProcessed: true)
    return stop
  }

  /// RFC 9110 §6.4.1.
  func hasBody(_ head: ResponseHead) -> Bool {
    exchange.request.method != "HEAD" && head.status >= 200 && head.status != 204 && head.status != 304
  }
}
