import EntityClient

@Entity final class Project {
  @UID @Key("id") var uid: Int
  var name: String
  /// The other side of `StudioTask.project`.
  @Relationship(inverse: \StudioTask.project) var tasks: [StudioTask]
}
