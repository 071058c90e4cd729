import EntityClient

/// Updated by hand, with a call in its update that the response names: `save`, `rollback` or `delete`.
@Entity final class Unruly: RemoteEntity {
  @UID @Key("id") var uid: Int
  var name: String?
  var part: Cover?
  var friend: Unruly?
  @Relationship(inverse: \Unruly.friend) var followers: [Unruly]

  static var basePath: String { "unruly" }

  func update(with response: ResponseObject) throws {
    try response.assign("name", to: &name)
    switch response["do"]?.string {
    case "save": try entityContext?.save()
    case "rollback": entityContext?.rollback()
    case "delete": try entityContext?.delete(self)
    default: break
    }
    try response.assign("part", to: &part)
    try response.assign("friend", to: &friend)
    if response.contains("followers") { followers = try response.upsert([Unruly].self, from: "followers") ?? [] }
  }
}

func unruly() throws -> EntityStore { try EntityStore(.inMemory, entities: [Unruly.self, Cover.self]) }
