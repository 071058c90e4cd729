import EntityJSON

extension BodyReading {
  /// The reading of values: the request's options come before the client.
  init(_ options: ValueOptions, _ client: Client) {
    self.init(
      limits: options.limits ?? .standard, decoder: options.decoder ?? client.decoder,
      errorModel: options.errorModel ?? client.errorModel)
  }

  /// The reading of what stands beside objects.
  init<E: RemoteEntity>(_ options: ResponseOptions<E>, _ client: Client?) {
    self.init(
      limits: options.limits, decoder: client?.decoder ?? JSONValueDecoder(),
      errorModel: options.errorModel ?? client?.errorModel)
  }
}
