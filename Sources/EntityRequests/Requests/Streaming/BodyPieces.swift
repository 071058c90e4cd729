import EntityStore
import Foundation

/// The body of a streamed response as it arrives, in pieces of at most 64 KiB, because an adapter may give it as a
/// whole.
struct BodyPieces {
  private static let length = 1 << 16
  /// The most bytes of a body that is taken as a whole. Transports that do not stream have the same limit.
  private static let wholeLength = 256 << 20

  private let streamed: StreamedHTTPResponse
  /// The bytes that have arrived and were not handed out.
  private var rest = Data()
  /// The way of the text to UTF-8; `nil` for UTF-8, and before the first byte.
  private var recoding: TextRecoding?

  init(_ streamed: StreamedHTTPResponse) { self.streamed = streamed }

  /// The response without the body; the transport's figures are there once the body has ended.
  var response: HTTPResponse {
    HTTPResponse(
      status: streamed.status, headers: streamed.headers, url: streamed.url, metrics: streamed.metrics)
  }

  /// The next piece; `nil` at the end.
  ///
  /// - Throws: ``RequestError`` of kind `transport`, or the adapter's own ``RequestError``; `CancellationError`.
  mutating func next() async throws -> Data? {
    while rest.isEmpty {
      guard let piece = try await text() else { return nil }
      rest = piece
    }
    let piece = rest.prefix(Self.length)
    rest = rest.dropFirst(piece.count)
    return piece
  }

  /// The first byte of the text, behind blanks and a byte order mark; `nil` for a body of nothing but blanks. It is
  /// called before ``next()``, whose pieces have that byte too. From here on the pieces are UTF-8, whatever the charset
  /// of the body is.
  mutating func firstByte() async throws -> UInt8? {
    var start = Data()
    // As many bytes as a mark of UTF-16 has.
    while start.count < 2, let piece = try await received() { start.append(piece) }
    recoding = TextRecoding(contentType: streamed.headers["Content-Type"], start: start)
    rest = try text(of: start)
    while true {
      if let byte = rest.first(where: { !Self.blanks.contains($0) }) { return byte }
      // No server sends so many blanks. The reader of the text tells what follows them.
      if rest.count > Self.length { return UInt8(ascii: "{") }
      guard let piece = try await text() else { return nil }
      rest.append(piece)
    }
  }

  /// The next piece as UTF-8; `nil` at the end.
  private mutating func text() async throws -> Data? {
    guard let piece = try await received() else {
      do { try recoding?.finish() } catch { throw ResponseParsing.failure(error, response, BodyReading()) }
      return nil
    }
    return try text(of: piece)
  }

  private mutating func text(of piece: Data) throws -> Data {
    do {
      return try recoding?.add(piece) ?? piece
    } catch {
      throw ResponseParsing.failure(error, response, BodyReading())
    }
  }

  /// RFC 8259 §2, and the bytes of a byte order mark.
  private static let blanks: [UInt8] = [0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF]

  /// The response with the rest of the body.
  ///
  /// - Throws: As ``next()``; ``RequestError`` of kind `parsing` for a body that is longer than `limit`.
  mutating func whole(atMost limit: Int) async throws -> HTTPResponse {
    var body = rest
    rest = Data()
    while let piece = try await received() {
      body.append(piece)
      guard body.count <= min(limit, Self.wholeLength) else {
        throw RequestError(
          .parsing, "The body has more than \(min(limit, Self.wholeLength)) bytes.", response: response)
      }
    }
    var response = response
    response.body = body
    return response
  }

  /// The response with its whole body, or with the beginning of a longer one. The rest is not read.
  mutating func beginning(atMost limit: Int) async throws -> HTTPResponse {
    var body = rest
    rest = Data()
    while body.count < limit, let piece = try await received() { body.append(piece.prefix(limit - body.count)) }
    var response = response
    response.body = body
    return response
  }

  private func received() async throws -> Data? {
    try Task.checkCancellation()
    do {
      return try await ObjectTurns.$isServing.withValue(true) { try await streamed.next() }
    } catch {
      throw RequestError.ofTransport(error, "The response broke off", response)
    }
  }
}
