import EntityRequests
public import Foundation

/// A redirect that was not followed. Nothing was sent to its target.
///
/// The description holds no values of a query and no user info; so it can be logged.
public struct RedirectError: Error, Sendable, CustomStringConvertible, CustomReflectable, LocalizedError {
  /// Why the redirect was not followed.
  public enum Reason: Sendable, Equatable {
    /// There were as many redirects already as ``RedirectPolicy/limit`` allows.
    case limit
    /// The redirect leads to a request that was sent already.
    case loop
    /// The redirect leads from https to http.
    case insecure
    /// The redirect leads to a scheme that is neither https nor http.
    case unsupportedScheme
    /// The redirect has no URL that can be read, or several.
    case invalidLocation
    /// The redirect's URL has a user name or a password.
    case userInfo
    /// The redirect leads to another origin, and the policy follows none.
    case otherOrigin
    /// The body is a stream that can't be opened again.
    case bodyNotReplayable
  }

  /// Why the redirect was not followed.
  public let reason: Reason
  /// The whole URL that the redirect led to: keep it out of logs. `nil` when `Location` is no URL.
  public let target: URL?
  /// The URLs that were requested, in order; the last of them answered with the redirect.
  public let hops: [URL]
  /// The status of the redirect.
  public let status: Int
  /// Whether a server may have acted on the request. One that sent 307 or 308 has not (RFC 9110 §15.4.8).
  public let mayHaveBeenProcessed: Bool

  public var description: String {
    let from = hops.last.map { " from \($0.shown)" } ?? ""
    return "The redirect (status \(status))\(from)\(target.map { " to \($0.shown)" } ?? "") was not followed: \(why)."
  }

  public var customMirror: Mirror { Mirror(self, children: ["description": description]) }

  public var errorDescription: String? { description }

  private var why: String {
    switch reason {
    case .limit: "it would be number \(hops.count), and that is more than the policy allows"
    case .loop: "that request was sent already, so it is a loop"
    case .insecure: "it leads from https to http"
    case .unsupportedScheme: "it leads to neither https nor http"
    case .invalidLocation: "its Location is no URL, or there are several"
    case .userInfo: "its URL has a user name or a password"
    case .otherOrigin: "it leads to another origin, and the policy follows none"
    case .bodyNotReplayable: "the request's body is a stream that can't be opened again"
    }
  }
}

extension RedirectError: LoggableError {}
extension RedirectError: SendingError {
  package var afterAnother: RedirectError {
    RedirectError(reason: reason, target: target, hops: hops, status: status, mayHaveBeenProcessed: true)
  }
}
