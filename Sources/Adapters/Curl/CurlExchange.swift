internal import AdapterDecorators
internal import EntityRequests
internal import Foundation
internal import Synchronization

/// One request on its way, as the caller's task and the engine's thread share it.
final class CurlExchange: Sendable {
  let request: PreparedRequest
  let payload: RequestPayload
  let configuration: CurlAdapter.Configuration
  let limits: RequestLimits
  /// The adapter that counts this exchange against its limit of connections.
  let adapter: UInt64
  let progress: ProgressRelay?
  let begin = ContinuousClock.now
  /// Set before `.abort` is posted: a cancellation may be posted ahead of the start that it cancels.
  let isCancelled = Atomic(false)

  init(
    _ request: PreparedRequest, _ payload: RequestPayload, _ configuration: CurlAdapter.Configuration,
    limits: RequestLimits, adapter: UInt64, progress: ProgressRelay?
  ) {
    self.request = request
    self.payload = payload
    self.configuration = configuration
    self.limits = limits
    self.adapter = adapter
    self.progress = progress
  }
}

extension CurlExchange {
  /// The coding of the body of a response that is to be undone.
  ///
  /// A range of a coded body is one of coded bytes, which cannot be undone without those before it (RFC 9110 §14.2).
  func coding(_ status: Int, _ headers: HTTPHeaders) throws(ResponseHeadParser.Malformed) -> ContentCoding? {
    guard headers["Content-Encoding"] != nil, configuration.acceptsCompression,
      status != 206 || !headers.haveRangeOfBytes
    else { return nil }
    return try ContentCoding(headers, asked: request.hasHeader("accept-encoding"))
  }

  func tooLarge() -> TransportError {
    TransportError(
      .bodyTooLarge,
      "The response of \(request.origin.description) is larger than the limit of "
        + "\(configuration.maximumResponseBytes) bytes.",
      mayHaveBeenProcessed: true)
  }
}

extension HTTPHeaders {
  /// Whether a part of a body is one of its bytes. Some servers send a page of a list as a part, in a unit of their own:
  /// its body is whole.
  fileprivate var haveRangeOfBytes: Bool {
    self["Content-Range"]?.lowercased().hasPrefix("bytes") == true
      || self["Content-Type"]?.lowercased().hasPrefix("multipart/byteranges") == true
  }
}

/// The tasks that wait for the response. Each continuation is resumed once, by the engine's thread.
enum Delivery: Sendable {
  case whole(CheckedContinuation<HTTPResponse, any Error>)
  case pieces(CheckedContinuation<ResponseHead, any Error>, ResponsePipe)
}
