public import EntityJSON
import EntityStore
public import Foundation

/// Why a request failed, or why its response could not be taken in.
///
/// Cancellation is not one of the reasons: a cancelled request throws `CancellationError`. The description can be
/// logged: it holds no header values, no values of the query, no user info and nothing of a body.
public struct RequestError: Error, Sendable, CustomStringConvertible {
  public enum Kind: Sendable, Equatable {
    /// No ``Client`` was installed.
    case notInstalled
    /// There is a client already, and `install` was not told to replace it.
    case alreadyInstalled
    /// The request needs a store: neither the client nor the request has one. Nothing was sent.
    case noStore
    /// The URL, a header or the body is not valid. Nothing was sent.
    case invalidRequest
    /// The resource leads to a place that needs the caller's permission: another origin, a path above the base path,
    /// or, for DELETE, the whole collection; see ``ResourceAllowance``. Nothing was sent.
    case unsafeResource
    /// A path pattern that no path matches or that can be misread, or two equally exact routes for the same requests.
    case invalidRoute
    /// The URL needs the server's identifier of an object that has none yet. Nothing was sent.
    case missingUID
    /// The store, or the context of the object, is gone.
    case storeGone
    /// No response came, or a streamed one broke off; ``RequestError/underlying`` is the error of the adapter, mostly a
    /// ``TransportError``, or the error of the app's own code that the request waited for: ``TransportError/cause``.
    case transport
    /// The server answered with a status that is no success, or a verdict found a refusal in a response with a status of
    /// success; see ``RequestError/response``. When the client, one of its
    /// routes or the request has an error model, ``RequestError/model`` is the body as that type. If the body can't be
    /// read as the type, ``RequestError/underlying`` says why.
    case status
    /// The body is not JSON, or not of the ``ResponseFormat`` that its content type names, or neither an array nor an
    /// object. In the first two cases ``RequestError/underlying`` is a `JSONError` or the error of the format.
    case parsing
    /// The envelope's key path is not in the body, or leads to neither an array nor an object. Or the key path of a
    /// ``ResponsePart`` is required and absent, or leads to another type than was declared.
    case envelope
    /// No route gives a model for the response; ``RequestError/trace`` has each route that was asked.
    case unmatched
    /// The response names a next page that can't be followed: the URL is malformed or of another origin, or the page
    /// was there already. Nothing was sent.
    case pagination
    /// A value of the body is not of the type that was asked for, or there is no body; ``RequestError/underlying`` is
    /// mostly a `DecodingError`, which may hold values of the body.
    case mapping
    /// The response of a load by ids does not have the object.
    case missingObject
    /// The ``CachePolicy`` of the request does not ask the server, and no answer to the request is known.
    case notCached
    /// The response could not be taken into the store; ``RequestError/underlying`` says why. Or the request deletes
    /// missing rows, and the response does not say which objects there are. Nothing was written, except for the groups
    /// of a streamed response that were committed before; see ``RequestError/committed``.
    case upsert
  }

  public let kind: Kind
  public let message: String
  /// The method and the URL of the request, if one was made. The URL is not redacted: keep it out of logs.
  public package(set) var method: HTTPMethod?
  public package(set) var url: URL?
  /// The response, if there was one.
  public package(set) var response: HTTPResponse?
  public package(set) var underlying: (any Error)?
  /// The body of a refusal, read as the error model of the request, a route or the client; `nil` without one.
  public internal(set) var model: (any Sendable)?
  /// The words of the server, where a ``ResponseVerdict`` found them in the body, whatever the status. They may have values:
  /// keep them out of logs. The description leaves them out.
  public internal(set) var serverMessage: String?
  /// Why no route gives a model for the response; of errors of kind `unmatched`.
  public internal(set) var trace: RouteTrace?
  /// True when the request changes something and the server reported success, but the response could not be read or
  /// taken into the store. Sending the request again may make the change twice. Edits that were sent stay edits. If the
  /// task is already cancelled when the response comes, it gets `CancellationError`, which does not say this.
  public internal(set) var wasAccepted = false
  /// The number of the page that failed, counted from 1, in an iteration over pages; the pages before it are committed.
  public package(set) var page: Int?

  package init(
    _ kind: Kind, _ message: String, response: HTTPResponse? = nil, underlying: (any Error)? = nil
  ) {
    self.kind = kind
    self.message = message
    self.response = response
    self.underlying = underlying
    guard kind == .transport else { return }
    sending = underlying as? any SendingError
    if let cause = (underlying as? TransportError)?.cause { self.underlying = cause }
  }

  /// False when another client delivered the body without its status.
  var hasStatus = true

  /// The response that is known of an earlier answer; see `cached(as:)`.
  var known: (any Sendable)?

  /// The error of the adapter, of errors of kind `transport`.
  package private(set) var sending: (any SendingError)?

  /// See `committed`.
  var streamed: (any Sendable & CustomStringConvertible)?

  /// How the exchange reads bodies.
  var reading = BodyReading()

  /// The status of the response; `nil` for a body that was delivered without one.
  public var status: Int? { hasStatus ? response?.status : nil }

  /// The body of the response, parsed now; `nil` when there is none, or it is not JSON or over the limits of the request.
  public var body: JSONValue? { response.flatMap { try? reading.parse($0) } }

  /// The words about a change that the server has, though its answer is of no use; see ``wasAccepted``.
  package static let notTakenIn = "The server accepted the request; its answer was not taken in."

  public var description: String {
    var text = ""
    if let method { text += "\(method.rawValue.prefix(40)) " }
    if let url { text += "\(url.shown) " }
    if let page { text += "(page \(page)) " }
    if let status { text += "(status \(status)) " }
    let message = wasAccepted ? "\(Self.notTakenIn) \(message)" : message
    text = text.isEmpty ? message : "\(text.dropLast()): \(message)"
    if let streamed { text += " In the store is what came before: \(streamed)." }
    return text.count > 1000 ? text.prefix(1000) + "…" : text
  }
}

extension RequestError {
  /// Whether a server may have acted on the request. `false` where nothing was sent, and where the server refused it.
  ///
  /// A refusal is about the last attempt. An adapter that repeats a POST, as `retrying()` does for one with an
  /// `Idempotency-Key`, may have sent it before: send it again with the same key.
  public var mayHaveBeenProcessed: Bool {
    switch kind {
    case .transport: return sending?.mayHaveBeenProcessed ?? true
    case .status:
      // The server before a redirect may have done it (RFC 9110 §15.4.4).
      guard let status, isOfRequestedURL else { return true }
      // A success is one that a verdict calls a refusal. 303 says that the request was done.
      return [300, 301, 302, 303, 408].contains(status) || status >= 500
    default: return wasAccepted
    }
  }

  /// Whether no redirect led to another URL, as far as the adapter tells.
  private var isOfRequestedURL: Bool {
    guard let last = response?.url, let url else { return true }
    return last.absoluteURL.path() == url.absoluteURL.path() && last.query() == url.query()
      && last.hasSameOrigin(as: url)
  }

  /// The error of the adapter, of errors of kind ``RequestError/Kind/transport``; `nil` where a custom adapter threw an error of its own.
  public var transportError: TransportError? { sending as? TransportError }

  /// The error with the method and the URL of its request, if it has none yet.
  func about(_ method: HTTPMethod?, _ url: URL?) -> RequestError {
    var error = self
    error.method = error.method ?? method
    error.url = error.url ?? url
    return error
  }

  /// The text for an underlying error: its description only when that holds no values, else its type.
  package static func shown(_ error: any Error) -> String {
    if let error = error as? DecodingError { return error.shown }
    return (error as? any LoggableError)?.description ?? "\(type(of: error))"
  }
}

/// An error whose description holds no values of a body, a header or a row.
package protocol LoggableError: Error, CustomStringConvertible {}

extension RequestError: LoggableError {}
extension TransportError: LoggableError {}
extension JSONError: LoggableError {}
extension StoreError: LoggableError {}
