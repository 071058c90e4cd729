import EntityJSON

extension BodyReading {
  /// The reading of values: the request's options come before the client.
  init(_ options: ValueOptions, _ client: Client, _ routes: RequestRoutes?) {
    self.init(
      limits: options.limits ?? .standard, decoder: options.decoder ?? client.decoder,
      errorModels: ErrorModels(options.errorModel, routes, client), formats: client.formats)
  }

  /// The reading of metadata and error models, for requests of objects.
  init<E: RemoteEntity>(_ options: ResponseOptions<E>, _ client: Client?, _ routes: RequestRoutes?) {
    self.init(
      limits: options.limits, decoder: client?.decoder ?? JSONValueDecoder(),
      errorModels: ErrorModels(options.errorModel, routes, client), formats: client?.formats ?? [])
  }
}

extension ErrorModels {
  fileprivate init(_ ofRequest: ErrorModel?, _ routes: RequestRoutes?, _ client: Client?) {
    self.init(ofRequest: ofRequest, ofClient: client?.errorModel)
    if let routes { ofRoutes = { try routes.errorModel(of: $0, $1) } }
  }
}
