internal import CCurl
internal import EntityRequests
internal import Foundation

/// The codings that a head says the body has.
enum BodyCoding: Sendable {
  case none
  case known(ContentCoding)
  case unknown

  /// - Parameter names: The codings in lower case, without those that change nothing.
  init(_ names: [String]) {
    switch names {
    case []: self = .none
    case ["gzip"], ["x-gzip"]: self = .known(.gzip)
    case ["deflate"]: self = .known(.deflate)
    default: self = .unknown
    }
  }
}

/// The coding of a response's body (RFC 9110 §8.4.1).
enum ContentCoding: Sendable {
  case gzip, deflate

  /// The codings that are asked for. libcurl could undo more, but on the engine's thread, and it takes a body that ends
  /// too early for a whole one.
  static let acceptedLine = "Accept-Encoding: gzip, deflate"
}

/// Decodes a body piece by piece, with little memory: however much a piece expands to, the result is made in parts.
///
/// Not `Sendable`: its owner lets one task at a time use it.
final class BodyDecoder {
  private let coding: ContentCoding
  private let origin: String
  private var stream: OpaquePointer?
  private var input = Data()
  private var isEnded = false
  /// Whether zlib filled the whole part. Then it may hold more bytes, although it took all of the input.
  private var hasMore = false
  private var failure: TransportError?
  /// The numbers of bytes before and after decoding.
  private var received = 0
  private var made = 0
  private let maximumExpansion: Int?

  /// A body may expand to this size without harm, however small it came.
  private static let freeExpansion = 1 << 20

  /// The room for a part. A body of many small streams makes as many parts, so they share it.
  private let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 128 << 10, alignment: 16)

  /// The most input of one step, because many bytes may make no output.
  private static let inputPerStep = 1 << 20

  init(_ coding: ContentCoding, _ exchange: CurlExchange) {
    self.coding = coding
    origin = exchange.request.origin.description
    maximumExpansion = exchange.configuration.maximumExpansion.map { max(1, $0) }
  }

  deinit {
    if let stream { ccurl_inflate_free(stream) }
    room.deallocate()
  }

  func add(_ piece: Data) {
    received += piece.count
    input.append(piece)
  }

  /// The next decoded part; `nil` when more input is needed.
  ///
  /// A part may be empty: one call is one short step, so that its caller sees a cancellation between two steps.
  func next() throws(TransportError) -> Data? {
    if let failure { throw failure }
    do throws(TransportError) {
      return try step()
    } catch {
      failure = error
      throw error
    }
  }

  /// - Throws: An error when the input is over before the body is. No input at all is an empty body.
  func finish() throws(TransportError) {
    if let failure { throw failure }
    guard isEnded || (stream == nil && input.isEmpty) else {
      throw broken("ended too early: it is cut off, though the transfer is complete")
    }
  }

  private func step() throws(TransportError) -> Data? {
    guard !input.isEmpty || hasMore, let stream = try makeStream() else { return nil }
    if isEnded {
      // Several streams are one body (RFC 1952 §2.2). Other bytes after a body are ignored, because its checksum was
      // right.
      guard coding == .gzip, input.first == 0x1F, ccurl_inflate_restart(stream) == 0 else {
        input = Data()
        return nil
      }
      isEnded = false
    }
    return try inflate(stream)
  }

  private func inflate(_ stream: OpaquePointer) throws(TransportError) -> Data {
    let offered = min(input.count, Self.inputPerStep)
    var (taken, made, code) = (offered, room.count, Int32(0))
    input.withUnsafeBytes { source in
      code = ccurl_inflate_run(stream, source.baseAddress, &taken, room.baseAddress, &made)
    }
    input = taken == input.count ? Data() : input.dropFirst(taken)
    let hadMore = hasMore
    hasMore = code == 0 && made == room.count
    switch code {
    case 0: break
    case 1: isEnded = true
    // After a part that it filled, zlib held nothing more.
    case -5 where hadMore: break
    case -5: throw broken("does not go on")
    case -4: throw outOfMemory()
    default: throw broken("is malformed")
    }
    self.made += made
    try checkExpansion()
    return Data(room.prefix(made))
  }

  private func checkExpansion() throws(TransportError) {
    guard let maximumExpansion, made > Self.freeExpansion else { return }
    let (limit, isEndless) = received.multipliedReportingOverflow(by: maximumExpansion)
    guard !isEndless, made > limit else { return }
    throw TransportError(
      .bodyTooLarge,
      "The \(coding) body of the response of \(origin) expands to more than \(maximumExpansion) times its \(received) "
        + "bytes, which is the limit of the adapter.",
      mayHaveBeenProcessed: true)
  }

  private func makeStream() throws(TransportError) -> OpaquePointer? {
    if let stream { return stream }
    // Two bytes tell zlib's format, which "deflate" means, from the bare format that some servers send.
    guard input.count >= 2 else { return nil }
    let start = input.prefix(2).reduce(0) { $0 << 8 | Int($1) }
    let isZlib = start >> 8 & 0xF == 8 && start % 31 == 0
    stream = ccurl_inflate_make(coding == .gzip ? 31 : isZlib ? 15 : -15)
    guard stream != nil else { throw outOfMemory() }
    return stream
  }

  private func broken(_ words: String) -> TransportError {
    TransportError(
      .badResponse, "The \(coding) body of the response of \(origin) \(words).", mayHaveBeenProcessed: true)
  }
}

extension BodyDecoder {
  /// The whole body, up to the limit of the adapter.
  static func decode(_ body: Data, _ coding: ContentCoding, _ exchange: CurlExchange) throws -> Data {
    let decoder = BodyDecoder(coding, exchange)
    decoder.add(body)
    var decoded = Data()
    while let part = try decoder.next() {
      try Task.checkCancellation()
      guard Int64(decoded.count + part.count) <= exchange.configuration.maximumResponseBytes else {
        throw exchange.tooLarge()
      }
      decoded.append(part)
    }
    try decoder.finish()
    return decoded
  }
}
