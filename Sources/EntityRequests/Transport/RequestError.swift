public import EntityJSON
import EntityStore
public import Foundation

/// Why a request, or taking in its response, failed.
///
/// Cancellation is not among it: a cancelled request throws `CancellationError`. The description holds no header
/// values, no values of the query, no user info and nothing of a body; so it can be logged.
public struct RequestError: Error, Sendable, CustomStringConvertible {
  public enum Kind: Sendable, Equatable {
    /// No ``Client`` was installed.
    case notInstalled
    /// There is a client already, and it was not to be replaced.
    case alreadyInstalled
    /// The request needs a store: neither the client nor the request has one. Nothing was sent.
    case noStore
    /// No request could be made of this: the URL, a header or the body. Nothing was sent.
    case invalidRequest
    /// The resource leads to a place that needs the caller's word: another origin, above the base path, or for DELETE the
    /// whole collection; see ``ResourceAllowance``. Nothing was sent.
    case unsafeResource
    /// A path pattern that no path matches or that can be misread, or two routes between which nothing decides.
    case invalidRoute
    /// The URL needs the server's identifier of an object that has none yet. Nothing was sent.
    case missingUID
    /// The store, or the context of the object, is gone.
    case storeGone
    /// No response came, or a streamed one broke off; ``RequestError/underlying`` is the error of the adapter, mostly a ``TransportError``.
    case transport
    /// The server answered with a status that is no success; see ``RequestError/response``. Where the client or the
    /// request has an error model, ``RequestError/model`` is what the body says; a body that is none of it leaves its
    /// fault in ``RequestError/underlying``.
    case status
    /// The body is not JSON, or not of the ``ResponseFormat`` that its content type names, or neither an array nor an
    /// object; ``RequestError/underlying`` is a `JSONError`, or the error of the format, in the first cases.
    case parsing
    /// The envelope's key path is not in the body, or leads to neither an array nor an object; or that of a
    /// ``ResponsePart`` is not there though required, or leads to something else than was declared.
    case envelope
    /// No route gives a model for the response; ``RequestError/trace`` has each route that was asked.
    case unmatched
    /// Where the next page is, the response says in a way that can't be followed: malformed, of another origin, or a
    /// page that was there already. Nothing was sent.
    case pagination
    /// A value of the body is none of the type that was asked for, or there is no body; ``RequestError/underlying`` is
    /// mostly a `DecodingError`, which may hold values of the body.
    case mapping
    /// The ``CachePolicy`` of the request asks no server, and no answer to it is known.
    case notCached
    /// The response could not be taken into the store; ``RequestError/underlying`` says why. Or missing rows were to be
    /// deleted, and the response does not say which objects there are. Nothing was written, but for the groups before it of a
    /// streamed response; see ``RequestError/committed``.
    case upsert
  }

  public let kind: Kind
  public let message: String
  /// The method and the URL that were requested, where it came to that. The URL is whole: keep it out of logs.
  public package(set) var method: HTTPMethod?
  public package(set) var url: URL?
  /// The response, where there was one.
  public package(set) var response: HTTPResponse?
  public package(set) var underlying: (any Error)?
  /// The body of a refusal, as the error model of the request or the client has it; `nil` without one.
  public internal(set) var model: (any Sendable)?
  /// Why no route gives a model for the response; of errors of kind `unmatched`.
  public internal(set) var trace: RouteTrace?
  /// Whether the server said that it has done what the request asked for, where the request changes something: a success,
  /// whose answer could not be read or taken into the store. To send it again may do it twice. Edits that were sent stay
  /// edits. A task that was cancelled when the answer came gets `CancellationError`, which does not tell.
  public internal(set) var wasAccepted = false
  /// The page of a walk that failed, counted from 1; the ones before it are committed.
  public package(set) var page: Int?

  package init(
    _ kind: Kind, _ message: String, response: HTTPResponse? = nil, underlying: (any Error)? = nil
  ) {
    self.kind = kind
    self.message = message
    self.response = response
    self.underlying = underlying
  }

  /// Whether the response came with a status: one that another client delivered may be a body alone.
  var hasStatus = true

  /// The response that is known of an earlier answer; see `cached(as:)`.
  var known: (any Sendable)?

  /// See `committed`.
  var streamed: (any Sendable & CustomStringConvertible)?

  /// How the exchange reads bodies.
  var reading = BodyReading()

  /// The status of the response; `nil` for a body that was delivered without one.
  public var status: Int? { hasStatus ? response?.status : nil }

  /// The body of the response, parsed now; `nil` when there is none, or it is not JSON or over the limits of the request.
  public var body: JSONValue? { response.flatMap { try? reading.parse($0) } }

  public var description: String {
    var text = ""
    if let method { text += "\(method.rawValue.prefix(40)) " }
    if let url { text += "\(url.shown) " }
    if let page { text += "(page \(page)) " }
    if let status { text += "(status \(status)) " }
    let message = wasAccepted ? "The server accepted the request; its answer was not taken in. \(message)" : message
    text = text.isEmpty ? message : "\(text.dropLast()): \(message)"
    if let streamed { text += " In the store is what came before: \(streamed)." }
    return text.count > 1000 ? text.prefix(1000) + "…" : text
  }
}

extension RequestError {
  /// The error with its request, where it does not name one yet.
  func about(_ method: HTTPMethod?, _ url: URL?) -> RequestError {
    var error = self
    error.method = error.method ?? method
    error.url = error.url ?? url
    return error
  }

  /// The text for an error of others: only a text that is known to hold no values.
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
