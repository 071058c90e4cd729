public import EntityClient

extension Post: RemoteEntity {
  public static var basePath: String { "posts/" }
}
