import EntityRequests
import HTTPFoundation

struct AuthenticationAdapter<Base: RequestAdapter>: Decorator {
  let base: Base
  let authentication: Authentication
  private let renewals = SingleFlight()

  init(base: Base, authentication: Authentication) {
    self.base = base
    self.authentication = authentication
  }

  @concurrent func response<Response: HeadedResponse>(
    to call: AdapterCall, _ send: Sender<Response>
  ) async throws -> Response {
    guard let url = call.request.url, url.hasSameOrigin(as: authentication.server),
      call.request.value(forHTTPHeaderField: "Authorization") == nil,
      // A refresh that waits for itself would never end.
      !SingleFlight.running.contains(ObjectIdentifier(renewals))
    else { return try await send(call) }
    // Taken before the token is read, because the request may miss a renewal after this moment.
    let moment = renewals.ended
    guard let credentials = try await credentials() else { return try await send(call) }
    var call = call
    call.progress = SteadyProgress.handler(call.progress)
    try call.request.setHeaders(["Authorization": credentials])
    let note = RedirectNote()
    var response = try await RedirectNote.send(call, with: note, send)
    guard response.status == 401, (response.url ?? url).hasSameOrigin(as: authentication.server),
      // A redirect to another origin loses the credentials, so the refusal says nothing about them.
      !note.leftOrigin, let refresh = authentication.refresh
    else { return response }
    // A refresh, or the request that is sent again, may need the place and the connection of a streamed refusal. So the
    // response gives both back here.
    response = try await response.settled()
    // The refusal says that its own server has done nothing. A server before a redirect may have done the request.
    let isUndone = note.hasHops ? !note.mayHaveActed : response.url?.isSamePlace(as: url) ?? true
    do {
      // The app may have replaced the refused token, by a login for example. Then the refusal says nothing about the
      // new token.
      if try await self.credentials() == credentials { try await renew(after: moment, refresh) }
      guard isUndone || call.isRepeatable, call.body.isReplayable,
        let renewed = try await self.credentials(), renewed != credentials
      else { return response }
      try call.request.setHeaders(["Authorization": renewed])
      return try await send(call)
    } catch  where !isUndone || call.isRepeatable {
      // A request before a redirect, or an attempt before the refused one, may have been done.
      throw error.afterAnotherRequest
    }
  }

  private func credentials() async throws -> String? {
    do {
      return try await TransferMoment.$current.withValue(nil) { try await authentication.credentials() }
    } catch {
      throw TransportError.waiting(error, for: "Reading the token")
    }
  }

  private func renew(
    after moment: Int, _ refresh: @escaping @Sendable (any RequestAdapter) async throws -> Void
  ) async throws {
    do {
      try await renewals.run(after: moment) { [base] in
        try await TransferMoment.$current.withValue(nil) { try await refresh(base) }
      }
    } catch {
      throw TransportError.waiting(error, for: "Renewing the token", isRenewal: true)
    }
  }
}

extension URL {
  /// Whether both lead to the same resource. If a transport follows redirects by itself, the URL of its response shows
  /// where it was.
  fileprivate func isSamePlace(as other: URL) -> Bool {
    func path(_ url: URL) -> String {
      let path = url.absoluteURL.path(percentEncoded: true)
      return path.isEmpty ? "/" : path
    }
    return hasSameOrigin(as: other) && path(self) == path(other)
      && query(percentEncoded: true) == other.query(percentEncoded: true)
  }
}
