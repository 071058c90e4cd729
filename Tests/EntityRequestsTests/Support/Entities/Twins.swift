import EntityClient
import Foundation

// Two entities that are the same but for who maps them. Each refers to itself, to one and to many, and holds parts
// that have no uid.

/// Mapped by its declared properties.
@Entity final class Stated: RemoteEntity {
  @UID @Key("data.id") var uid: Int
  var name: String?
  var rating: Double
  var isOpen: Bool
  var seenAt: Date?
  @Key("place.city") var city: String?
  var parent: Stated?
  @Relationship(inverse: \Stated.parent) var children: [Stated]
  var part: StatedPart?
  @Relationship(inverse: \StatedPart.owner) var parts: [StatedPart]

  static var basePath: String { "stateds" }
}

/// Has no uid: lives in a `Stated`.
@Entity final class StatedPart {
  var color: String?
  var size: Int
  var owner: Stated?
}

/// Updated by hand, in the same order.
@Entity final class Handed: RemoteEntity {
  @UID @Key("data.id") var uid: Int
  var name: String?
  var rating: Double
  var isOpen: Bool
  var seenAt: Date?
  @Key("place.city") var city: String?
  var parent: Handed?
  @Relationship(inverse: \Handed.parent) var children: [Handed]
  var part: HandedPart?
  @Relationship(inverse: \HandedPart.owner) var parts: [HandedPart]

  static var basePath: String { "handeds" }

  func update(with response: ResponseObject) throws {
    try response.assign("data.id", to: &uid)
    try response.assign("parent", to: &parent)
    try response.assign("part", to: &part)
    try response.assign("name", to: &name)
    try response.assign("rating", to: &rating)
    try response.assign("is_open", to: &isOpen)
    try response.assign("seen_at", to: &seenAt)
    try response.assign("place.city", to: &city)
    try response.assign("children", to: &children)
    try response.assign("parts", to: &parts)
  }
}

/// Has no uid: lives in a `Handed`.
@Entity final class HandedPart {
  var color: String?
  var size: Int
  var owner: Handed?
}

func twins() throws -> EntityStore {
  try EntityStore(.inMemory, entities: [Stated.self, StatedPart.self, Handed.self, HandedPart.self])
}
