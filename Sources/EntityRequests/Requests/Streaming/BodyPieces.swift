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
      guard let piece = try await received() else { return nil }
      rest = piece
    }
    let piece = rest.prefix(Self.length)
    rest = rest.dropFirst(piece.count)
    return piece
  }

  /// The first byte of the text, behind blanks and a byte order mark; `nil` for a body of nothing but blanks. It is
  /// called before ``next()``, whose pieces have that byte too.
  mutating func firstByte() async throws -> UInt8? {
    while let piece = try await received() {
      rest.append(piece)
      if let byte = piece.first(where: { !Self.blanks.contains($0) }) { return byte }
      // No server sends so many blanks. The reader of the text tells what follows them.
      if rest.count > Self.length { return UInt8(ascii: "{") }
    }
    return nil
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

  private func received() async throws -> Data? {
    try Task.checkCancellation()
    do {
      return try await ObjectTurns.$isServing.withValue(true) { try await streamed.next() }
    } catch {
      throw RequestError.ofTransport(error, "The response broke off", response)
    }
  }
}
