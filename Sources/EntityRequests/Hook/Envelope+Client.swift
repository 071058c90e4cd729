extension Envelope {
  /// The key path that counts: the request's, else the entity's, else the client's.
  static func keyPath<E: RemoteEntity>(_ type: E.Type, request: String?, client: Client?) -> String? {
    request ?? type.envelope ?? client?.envelope
  }
}
