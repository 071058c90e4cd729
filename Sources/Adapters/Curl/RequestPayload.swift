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
    case .stream(let stream): self = .pipe(RequestPipe(stream))
    }
    guard method != "HEAD", method != "TRACE" else { throw invalid("\(method) has no body (RFC 9110 §9.3).") }
    if case .pipe(let pipe) = self, let length = pipe.length {
      guard length >= 0 else { throw invalid("The body's length is negative.") }
      // libcurl never asks for the bytes of an empty body, so its stream is checked apart.
      if length == 0 { self = .data(Data()) }
    }
  }

  /// The number of bytes, where it is known.
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
          throw TransportError.sending(
            "The request's body is longer than its length of 0 bytes.", mayHaveBeenProcessed: false)
        }
      }
    } catch let error as TransportError {
      throw error
    } catch {
      try Task.checkCancellation()
      throw TransportError.sending(
        "The request's body could not be read: its stream threw \(type(of: error)).", mayHaveBeenProcessed: false)
    }
  }
}
