internal import AdapterDecorators
internal import EntityRequests
internal import Foundation
internal import Synchronization

/// One request on its way, as the caller's task and the engine's thread share it.
final class CurlExchange: Sendable {
  let request: PreparedRequest
  let payload: RequestPayload
  /// The settings of the adapter, which counts this exchange against its limit of connections.
  let settings: CurlSettings
  let limits: RequestLimits
  let progress: ProgressRelay?
  let begin = Moment.now
  /// Set before `.abort` is posted: a cancellation may be posted ahead of the start that it cancels.
  let isCancelled = Atomic(false)
  private let measured = Mutex<TransferMetrics?>(nil)

  init(
    _ request: PreparedRequest, _ payload: RequestPayload, _ settings: CurlSettings, limits: RequestLimits,
    progress: ProgressRelay?
  ) {
    self.request = request
    self.payload = payload
    self.settings = settings
    self.limits = limits
    self.progress = progress
  }
}

extension CurlExchange {
  /// The metrics of a streamed response. Its head is handed over before there are any.
  var metrics: TransferMetrics? {
    get { measured.withLock { $0 } }
    set { measured.withLock { $0 = newValue } }
  }

  var configuration: CurlAdapter.Configuration { settings.configuration }

  /// The coding of a response's body that is to be undone; `nil` when the body is handed over as it came.
  ///
  /// A range of a coded body has coded bytes, which can't be decoded without the bytes before them (RFC 9110 §14.2). A
  /// caller whose request names the codings that it takes can decode other codings itself.
  ///
  /// - Throws: An error for a coding that nobody asked for.
  func coding(_ head: ResponseHead) throws(ResponseHeadParser.Malformed) -> ContentCoding? {
    if case .none = head.contentCoding { return nil }
    guard settings.configuration.acceptsCompression, head.status != 206 || !head.headers.haveRangeOfBytes else {
      return nil
    }
    if case .known(let coding) = head.contentCoding { return coding }
    guard request.hasHeader("accept-encoding") else {
      throw ResponseHeadParser.Malformed("The body has a content coding that was not asked for")
    }
    return nil
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
  /// Whether a partial response is a range of bytes. Some servers send a page of a list as a partial response, in a
  /// unit of their own: then the body is whole.
  fileprivate var haveRangeOfBytes: Bool {
    self["Content-Range"]?.lowercased().hasPrefix("bytes") == true
      || self["Content-Type"]?.lowercased().hasPrefix("multipart/byteranges") == true
  }
}

/// A whole response as it travelled, its body not yet decoded.
struct ReceivedResponse: Sendable {
  var head: ResponseHead
  var body: Data
  var metrics = TransferMetrics()
}

/// The tasks that wait for the response.
///
/// Each continuation is resumed once, by the engine. A mailbox hands each command out once, and a transfer that began
/// has one way out, `CurlLoop.finish(_:_:)`. This takes the delivery from the transfer before it resumes the task. A
/// head that was handed over before is noted.
enum Delivery: Sendable {
  case whole(CheckedContinuation<ReceivedResponse, any Error>)
  case pieces(CheckedContinuation<ResponseHead, any Error>, ResponsePipe)
}
