internal import EntityStore
internal import Foundation

/// The reader's hold on a streamed response: when it goes, the transfer goes.
final class ResponseReader: Sendable {
  private let engine: CurlEngine
  private let exchange: CurlExchange
  private let pipe: ResponsePipe

  init(_ engine: CurlEngine, _ exchange: CurlExchange, _ pipe: ResponsePipe) {
    self.engine = engine
    self.exchange = exchange
    self.pipe = pipe
  }

  deinit { engine.cancel(exchange) }

  func next() async throws -> Data? {
    let engine = engine
    let exchange = exchange
    let piece: Data?
    do {
      piece = atCaller(
        try await withTaskCancellationHandler {
          try await pipe.next { engine.post(.resumeDownload(exchange)) }
        } onCancel: {
          engine.cancel(exchange)
        })
    } catch {
      throw atCaller(error)
    }
    if piece == nil { await exchange.progress?.drained() }
    return piece
  }
}
