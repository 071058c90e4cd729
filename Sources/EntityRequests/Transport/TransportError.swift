import Foundation

/// No response came back. The error says which step failed, and whether the server may have acted on the request all
/// the same.
public struct TransportError: Error, Sendable, CustomStringConvertible {
  public enum Kind: Sendable, Equatable, CaseIterable {
    case invalidRequest, unsupported
    case nameResolution, connection, tls, timeout, sending
    case badResponse, bodyTooLarge
    case other
    /// An app is offline by its own switch; the request, or the next attempt of it, was not sent.
    case offline
    /// An adapter's own rule does not allow the IP address of the server.
    case forbiddenAddress
    /// The server refused the credentials, and they could not be renewed; ``TransportError/cause`` is the error of the renewal.
    case unauthorized
  }

  public let kind: Kind
  /// A description for a person; it holds no header values, bodies or user info of a URL.
  public let message: String
  /// The transport's own error code, if it has one.
  public let code: Int?
  /// Whether a server may have acted on the request. `false` only when none surely did.
  public let mayHaveBeenProcessed: Bool
  /// The figures of the transport until then; `nil` when it measures nothing.
  public var metrics: TransferMetrics?
  /// The error of the app's own code that the request waited for, such as a closure that reads or renews a token; `nil` where
  /// the transport failed.
  public let cause: (any Error)?

  public init(
    _ kind: Kind, _ message: String, code: Int? = nil, mayHaveBeenProcessed: Bool, metrics: TransferMetrics? = nil,
    cause: (any Error)? = nil
  ) {
    self.kind = kind
    self.message = message
    self.code = code
    self.mayHaveBeenProcessed = mayHaveBeenProcessed
    self.metrics = metrics
    self.cause = cause
  }

  public var description: String { message }
}

/// An error of an adapter that says whether a server may have acted on the request.
package protocol SendingError: Error {
  var mayHaveBeenProcessed: Bool { get }
  /// The same error, of a call that has sent another request before, which may have been processed.
  var afterAnother: Self { get }
}

extension TransportError: SendingError {
  package var afterAnother: TransportError {
    TransportError(kind, message, code: code, mayHaveBeenProcessed: true, metrics: metrics, cause: cause)
  }

  /// The error of a request that waited for the app's own code, which threw.
  ///
  /// - Parameters:
  ///   - cause: The error of that code.
  ///   - step: What the code did, as the subject of a sentence.
  ///   - isRenewal: Whether the code was to renew credentials that the server refused. Then it has sent another request.
  /// - Returns: `CancellationError` for one, if the request itself is cancelled.
  package static func waiting(_ cause: any Error, for step: String, isRenewal: Bool = false) -> any Error {
    if cause is CancellationError, Task.isCancelled { return cause }
    if let own = cause as? TransportError {
      // A kind that says which part of this request is wrong would mislead where another one is meant.
      let isOfOther = isRenewal && [.invalidRequest, .unsupported, .forbiddenAddress].contains(own.kind)
      return TransportError(
        isOfOther ? .unauthorized : own.kind, own.message, code: own.code, mayHaveBeenProcessed: false,
        metrics: own.metrics, cause: own.cause)
    }
    return TransportError(
      kind(of: cause, isRenewal), "\(step) failed: \(RequestError.shown(cause))", mayHaveBeenProcessed: false,
      cause: cause)
  }

  private static func kind(of cause: any Error, _ isRenewal: Bool) -> Kind {
    let request = cause as? RequestError
    if cause.isOfNetwork { return request?.transportError?.kind ?? .other }
    if isRenewal { return .unauthorized }
    // A header field or a body that the code could not set.
    return request?.kind == .invalidRequest && request?.response == nil ? .invalidRequest : .other
  }

  /// Whether the app's own code failed, and not the network or the server that it asked.
  package var isOfApp: Bool { cause.map { !$0.isOfNetwork } ?? false }
}

extension Error {
  /// Whether the same work may succeed when the network, or the server, is better. Libraries wrap the error of Foundation.
  fileprivate var isOfNetwork: Bool {
    switch self {
    case let error as TransportError: return !error.isOfApp
    case is URLError: return true
    case let error as RequestError:
      if error.kind == .transport { return error.transportError?.isOfApp != true }
      return error.isOfPassingFault
    default:
      let error = self as NSError
      if error.domain == NSURLErrorDomain || error.domain == NSPOSIXErrorDomain { return true }
      guard let inner = error.userInfo[NSUnderlyingErrorKey] as? any Error else { return false }
      return inner.isOfNetwork
    }
  }
}

extension Error {
  /// The error of a call that has sent another request before, which may have been processed. Of an error that says nothing of
  /// a server nobody takes the request for undone.
  package var afterAnotherRequest: any Error {
    if let error = self as? any SendingError { return error.afterAnother }
    guard let error = self as? RequestError else { return self }
    return TransportError(.other, error.message, mayHaveBeenProcessed: true, cause: error)
  }
}
