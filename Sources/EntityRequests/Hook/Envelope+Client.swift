import EntityJSON

/// Chooses the envelope of one response: the envelope of the request, else of a route, else of the entity, else of the
/// client.
struct EnvelopeChoice: Sendable {
  let ofRequest: Envelope?
  let routes: RequestRoutes?
  /// The envelope of the entity or the client.
  let otherwise: Envelope

  /// For objects of an entity.
  init<E: RemoteEntity>(_ type: E.Type, request: Envelope?, _ routes: RequestRoutes?, _ client: Client?) {
    ofRequest = request
    self.routes = routes
    otherwise = type.envelope ?? client?.envelope ?? .wholeBody
  }

  /// For a value.
  init(request: Envelope?, _ routes: RequestRoutes?, _ client: Client) {
    ofRequest = request
    self.routes = routes
    otherwise = client.envelope ?? .wholeBody
  }

  /// The envelope without regard to the routes.
  var declared: Envelope { ofRequest ?? otherwise }

  /// - Throws: The errors of a route's closure.
  func envelope(of response: HTTPResponse, _ body: JSONValue?) throws -> Envelope {
    try ofRequest ?? routes?.envelope(of: response, body) ?? otherwise
  }
}
