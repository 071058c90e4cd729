import EntityRequests
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

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
    // Before the token is read: a renewal after this moment is one that the request may have missed.
    let moment = renewals.ended
    guard let credentials = try await authentication.credentials() else { return try await send(call) }
    var call = call
    call.progress = SteadyProgress.handler(call.progress)
    try call.request.setHeaders(["Authorization": credentials])
    let response = try await send(call)
    guard response.status == 401, (response.url ?? url).hasSameOrigin(as: authentication.server),
      let refresh = authentication.refresh
    else { return response }
    // The response says that the server has done nothing, so any method may be sent again.
    try await renewals.run(after: moment) { [base] in try await refresh(base) }
    guard call.body.isReplayable, let renewed = try await authentication.credentials(), renewed != credentials else {
      return response
    }
    try call.request.setHeaders(["Authorization": renewed])
    return try await send(call)
  }
}
