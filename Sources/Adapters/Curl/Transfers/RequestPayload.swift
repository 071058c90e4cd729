internal import AdapterDecorators
internal import EntityRequests
internal import Foundation

/// A request's body in the form in which the engine sends it.
enum RequestPayload: Sendable {
  case none
  case data(Data)
  case pipe(RequestPipe)

  /// - Throws: `TransportError` of kind `invalidRequest` for a body that cannot be sent, before anything is.
  init(_ body: RequestBody, method: String) throws {
    switch body {
    case .none:
      self = .none
      return
    case .data(let data): self = .data(data)
    case .file(let url): self = .pipe(RequestPipe(try RequestBodyStream(contentsOf: url)))
    case .stream(let stream):
      try stream.checkLength()
      self = .pipe(RequestPipe(stream))
    }
    try method.checkMethodTakesBody()
    // libcurl never asks for the bytes of an empty body, so ``checkEmpty(_:)`` reads its stream.
    if case .pipe(let pipe) = self, pipe.length == 0 { self = .data(Data()) }
  }

  /// The number of bytes; `nil` when it is not known.
  var length: Int64? {
    switch self {
    case .none: 0
    case .data(let data): Int64(data.count)
    case .pipe(let pipe): pipe.length
    }
  }

  /// A stream with a length of 0 must have no bytes.
  static func checkEmpty(_ stream: RequestBodyStream) async throws {
    do {
      let next = try stream.open()
      while let piece = try await next() {
        guard piece.isEmpty else {
          throw TransportError.bodyTooLong(0, mayHaveBeenProcessed: false)
        }
      }
    } catch let error as TransportError {
      throw error
    } catch {
      try Task.checkCancellation()
      throw TransportError.bodyUnreadable(error, mayHaveBeenProcessed: false)
    }
  }
}
