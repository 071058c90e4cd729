public import EntityClient

extension Address: RemoteEntity {
  public static var basePath: String { "addresses/" }
}
