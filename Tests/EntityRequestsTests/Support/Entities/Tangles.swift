import EntityClient
import Foundation

// Two entities that are the same but for who maps them, with lists that have an order, lists on both sides, counterparts, unique
// values and deletions.

protocol Tangling: RemoteEntity {
  var uid: Int { get }
  var name: String? { get }
  var owner: Self? { get }
  var owned: [Self] { get }
  var likes: [Self] { get }
}

@Entity final class Tangle: Tangling {
  @UID @Key("id") var uid: Int
  var name: String?
  @Unique var code: String?
  var owner: Tangle?
  @Relationship(inverse: \Tangle.owner, ordered: true) var owned: [Tangle]
  @Relationship(inverse: \Tangle.likers, ordered: true) var likes: [Tangle]
  var likers: [Tangle]
  var next: Tangle?
  @Relationship(inverse: \Tangle.next) var previous: Tangle?

  static var basePath: String { "tangles" }
  static var deletionKey: String? { "deleted" }
}

@Entity final class HandTangle: Tangling {
  @UID @Key("id") var uid: Int
  var name: String?
  @Unique var code: String?
  var owner: HandTangle?
  @Relationship(inverse: \HandTangle.owner, ordered: true) var owned: [HandTangle]
  @Relationship(inverse: \HandTangle.likers, ordered: true) var likes: [HandTangle]
  var likers: [HandTangle]
  var next: HandTangle?
  @Relationship(inverse: \HandTangle.next) var previous: HandTangle?

  static var basePath: String { "tangles" }
  static var deletionKey: String? { "deleted" }

  func update(with response: ResponseObject) throws {
    try response.assign("id", to: &uid)
    try response.assign("name", to: &name)
    try response.assign("code", to: &code)
    try response.assign("owner", to: &owner)
    try response.assign("next", to: &next)
    try response.assign("previous", to: &previous)
    try response.assign("owned", to: &owned)
    try response.assign("likes", to: &likes)
    try response.assign("likers", to: &likers)
  }
}
