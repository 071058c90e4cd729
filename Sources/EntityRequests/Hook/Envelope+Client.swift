extension Envelope {
  /// The envelope that counts: the request's, else the entity's, else the client's.
  static func of<E: RemoteEntity>(_ type: E.Type, request: Envelope?, client: Client?) -> Envelope {
    request ?? type.envelope ?? client?.envelope ?? .wholeBody
  }
}
