internal import AdapterDecorators
internal import EntityRequests
internal import EntityStore
internal import Foundation
internal import Synchronization

/// The reader of a streamed response. When it is dropped, the transfer is cancelled.
final class ResponseReader: Sendable {
  private let engine: CurlEngine
  private let exchange: CurlExchange
  private let pipe: ResponsePipe
  private let decoding: Decoding?

  init(_ engine: CurlEngine, _ exchange: CurlExchange, _ pipe: ResponsePipe, _ coding: ContentCoding?) {
    self.engine = engine
    self.exchange = exchange
    self.pipe = pipe
    decoding = coding.map { Decoding(BodyDecoder($0, exchange)) }
  }

  deinit { engine.cancel(exchange) }

  func next() async throws -> Data? {
    let piece: Data?
    do {
      if let decoding {
        piece = atCaller(try await decodedPiece(decoding))
      } else {
        piece = atCaller(try await receivedPiece())
      }
    } catch {
      throw atCaller(error)
    }
    if piece == nil { await exchange.progress?.drained() }
    return piece
  }

  private func receivedPiece() async throws -> Data? {
    let engine = engine
    let exchange = exchange
    do {
      return atCaller(
        try await withTaskCancellationHandler {
          try await pipe.next { engine.post(.resumeDownload(exchange)) }
        } onCancel: {
          engine.cancel(exchange)
        })
    } catch {
      throw atCaller(error)
    }
  }

  /// Decodes apart from the reader's actor, and from the engine's thread: a small piece may expand to many bytes.
  @concurrent private func decodedPiece(_ decoding: Decoding) async throws -> Data? {
    await decoding.line.enter()
    defer { decoding.line.leave() }
    do {
      while true {
        if let part = try decoding.decoder.withLock({ decoder in try decoder.next() }) {
          // A step may make no output. A long run of such steps must not hide a cancellation.
          guard part.isEmpty else { return part }
          try Task.checkCancellation()
          continue
        }
        guard let piece = try await receivedPiece() else {
          try decoding.decoder.withLock { decoder in try decoder.finish() }
          return nil
        }
        decoding.decoder.withLock { $0.add(piece) }
      }
    } catch {
      engine.cancel(exchange)
      // The engine ends the pipe at once, and sets the metrics before that.
      if error is TransportError { while (try? await pipe.next {}) != nil {} }
      throw exchange.metrics.map { metrics in measured(error, metrics) } ?? error
    }
  }

  /// The error with the metrics of the transfer, which an error of the decoder lacks.
  private func measured(_ error: any Error, _ metrics: TransferMetrics) -> any Error {
    guard var error = error as? TransportError else { return error }
    error.metrics = metrics
    return error
  }
}

/// The decoder of a streamed body. It is a class, because Swift 6.3.1 does not lay out an Optional of a `Mutex` right.
private final class Decoding: Sendable {
  let decoder: Mutex<BodyDecoder>
  let line = ReaderLine()

  init(_ decoder: sending BodyDecoder) { self.decoder = Mutex(decoder) }
}

/// Lets one reader at a time through, in the order in which they came: the pieces of a coded body belong together.
private final class ReaderLine: Sendable {
  private let state = Mutex((isTaken: false, waiters: ArraySlice<CheckedContinuation<Void, Never>>()))

  func enter() async {
    atCaller(
      await withCheckedContinuation { continuation in
        let isFree = state.withLock { state in
          if state.isTaken { state.waiters.append(continuation) }
          defer { state.isTaken = true }
          return !state.isTaken
        }
        if isFree { continuation.resume() }
      })
  }

  func leave() {
    let next = state.withLock { state in
      let next = state.waiters.popFirst()
      state.isTaken = next != nil
      return next
    }
    next?.resume()
  }
}
