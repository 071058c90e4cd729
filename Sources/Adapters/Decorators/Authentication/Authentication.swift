public import EntityRequests
public import Foundation

/// The credentials of requests to one server, and how they are renewed.
public struct Authentication: Sendable, CustomStringConvertible, CustomReflectable {
  let server: URL
  /// The value of `Authorization`; `nil` for none.
  let credentials: @Sendable () async throws -> String?
  let refresh: (@Sendable (any RequestAdapter) async throws -> Void)?

  /// The server without user info; no credentials.
  public var description: String { "Authentication(\(server.shown))" }

  public var customMirror: Mirror { Mirror(self, children: ["description": description]) }

  /// A user name and a password (RFC 7617).
  ///
  /// - Parameters:
  ///   - user: The user name. One with a colon can't be sent: each request then fails with `TransportError` of kind
  ///     `invalidRequest`.
  ///   - password: The password.
  ///   - server: Only requests to its scheme, host and port get the credentials (RFC 6454 §5).
  public static func basic(user: String, password: String, at server: URL) -> Authentication {
    Authentication(server: server, refresh: nil) {
      guard !user.contains(":") else {
        throw TransportError(
          .invalidRequest, "The user name has a colon, which Basic authentication can't send (RFC 7617 §2).",
          mayHaveBeenProcessed: false)
      }
      return "Basic " + Data("\(user):\(password)".utf8).base64EncodedString()
    }
  }

  /// A token that does not change (RFC 6750).
  ///
  /// - Parameters:
  ///   - token: The token.
  ///   - server: Only requests to its scheme, host and port get the token (RFC 6454 §5).
  public static func bearer(_ token: String, at server: URL) -> Authentication {
    Authentication(server: server, refresh: nil) { "Bearer \(token)" }
  }

  /// A token that is renewed when the server refuses it with 401 (RFC 6750).
  ///
  /// ```swift
  /// let authentication = Authentication.bearer(at: server) {
  ///   await session.token
  /// } refresh: { adapter in
  ///   try await session.refresh(by: adapter)      // keeps the new token, which is then asked for again
  /// }
  /// ```
  ///
  /// One refresh is under way at a time, and all refused requests wait for it. Then each is sent once more, if the
  /// token is no longer the refused one. A refresh is not cancelled with the requests that wait for it, because a
  /// server may take each refresh token once.
  ///
  /// A server before a redirect may have done a request that the server after the redirect refuses. Such a request is
  /// not sent again. For example, a POST whose redirect leads to a refusal ends in that refusal, and the next request
  /// has the new token.
  ///
  /// - Parameters:
  ///   - server: Only requests to its scheme, host and port get the token (RFC 6454 §5).
  ///   - token: Called for each request. If it returns `nil`, the request is sent without a token. It must not send a
  ///     request through the same client to this server: that request would ask for the token, too, without end.
  ///   - refresh: Renews the token. It gets the adapter without authentication, to send its request with. A request
  ///     that it sends in any other way gets no token, either. A `Task.detached` in it counts as another caller: a
  ///     refused request of this task waits for the refresh, so a refresh that waits for the task never ends. If the
  ///     refresh throws, all requests that wait for it fail: with a `TransportError` that has the refresh's error as its `cause`,
  ///     and as `underlying` of a `RequestError`. An error of the network, which `URLError`, `TransportError` and
  ///     errors around these are, says that the renewal may succeed later. Any other one says that the session has ended.
  public static func bearer(
    at server: URL, token: @escaping @Sendable () async throws -> String?,
    refresh: @escaping @Sendable (_ adapter: any RequestAdapter) async throws -> Void
  ) -> Authentication {
    Authentication(server: server, refresh: refresh) { try await token().map { "Bearer \($0)" } }
  }

  /// The same, with the server's URL as a text.
  ///
  /// - Throws: `RequestError` of kind `invalidRequest` for a text that is no absolute http or https URL.
  public static func basic(user: String, password: String, at server: String) throws -> Authentication {
    basic(user: user, password: password, at: try URL(server: server))
  }

  /// The same, with the server's URL as a text.
  ///
  /// - Throws: `RequestError` of kind `invalidRequest` for a text that is no absolute http or https URL.
  public static func bearer(_ token: String, at server: String) throws -> Authentication {
    bearer(token, at: try URL(server: server))
  }

  /// The same, with the server's URL as a text.
  ///
  /// - Throws: `RequestError` of kind `invalidRequest` for a text that is no absolute http or https URL.
  public static func bearer(
    at server: String, token: @escaping @Sendable () async throws -> String?,
    refresh: @escaping @Sendable (_ adapter: any RequestAdapter) async throws -> Void
  ) throws -> Authentication {
    bearer(at: try URL(server: server), token: token, refresh: refresh)
  }

  private init(
    server: URL, refresh: (@Sendable (any RequestAdapter) async throws -> Void)?,
    credentials: @escaping @Sendable () async throws -> String?
  ) {
    self.server = server
    self.refresh = refresh
    self.credentials = credentials
  }
}

extension RequestAdapter {
  /// This adapter, with credentials for one server.
  ///
  /// A request that has a field `Authorization` already is sent as it is. No other origin gets the credentials, even if
  /// a redirect leads there.
  ///
  /// - Parameter authentication: The credentials, and the server that they are for.
  public func authenticated(by authentication: Authentication) -> some RequestAdapter {
    AuthenticationAdapter(base: self, authentication: authentication)
  }
}
