import EntityStore

/// The row of an object that the server has deleted.
enum RemovedRow<E: RemoteEntity>: Sendable {
  case object(EntityID<E>)
  case uid(StoredValue)
  /// The values that the attributes in the URL have on the server.
  case address([(property: Int, value: StoredValue)])
}
