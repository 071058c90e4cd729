public import EntityClient

extension User: RemoteEntity {
  public static var basePath: String { "users/" }
}
