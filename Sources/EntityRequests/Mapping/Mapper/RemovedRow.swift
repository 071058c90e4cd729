import EntityStore

/// The row of an object that the server has deleted.
enum RemovedRow<E: RemoteEntity>: Sendable {
  case object(EntityID<E>)
  case uid(StoredValue)
}
