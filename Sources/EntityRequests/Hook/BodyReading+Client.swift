import EntityJSON

extension BodyReading {
  /// The reading of values: the request's options come before the client.
  init(_ options: ValueOptions, _ client: Client, _ routes: RequestRoutes?) {
    self.init(
      limits: options.limits ?? .standard, decoder: options.decoder ?? client.decoder,
      errorModels: ErrorModels(options.errorModel, routes, client),
      refusal: (options.verdict ?? client.verdict)?.refusal, formats: client.formats)
  }

  /// The reading of metadata and error models, for requests of objects.
  init<E: RemoteEntity>(_ options: ResponseOptions<E>, _ client: Client?, _ routes: RequestRoutes?) {
    self.init(
      limits: options.limits, decoder: client?.decoder ?? JSONValueDecoder(),
      errorModels: ErrorModels(options.errorModel, routes, client),
      refusal: (options.verdict ?? E.verdict ?? client?.verdict)?.refusal, formats: client?.formats ?? [])
  }
}

extension ResponseVerdict {
  /// The error of a response that is a refusal.
  @Sendable func refusal(_ response: HTTPResponse, _ body: JSONValue?) throws -> RequestError? {
    guard let refusal = try judge(response, body) else { return nil }
    var error = RequestError(.status, refusal.message, response: response)
    error.serverMessage = refusal.serverMessage
    return error
  }
}

extension ErrorModels {
  fileprivate init(_ ofRequest: ErrorModel?, _ routes: RequestRoutes?, _ client: Client?) {
    self.init(ofRequest: ofRequest, ofClient: client?.errorModel)
    if let routes { ofRoutes = { try routes.errorModel(of: $0, $1) } }
  }
}
