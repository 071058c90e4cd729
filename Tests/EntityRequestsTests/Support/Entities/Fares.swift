import EntityClient

// Entities with a uid of several properties, of a server that has them under other keys.

@Entity final class FareStage: RemoteEntity {
  @UID @Key("line_id") var line: Int
  @UID var code: String
  var price: Int?
  @Relationship(inverse: \FareStop.stage) var stops: [FareStop]

  static var basePath: String { "stages" }
}

@Entity final class FareStop: RemoteEntity {
  @UID @Key("id") var uid: Int
  var stage: FareStage?
  var next: [FareStage]

  static var basePath: String { "stops" }
}

/// The same with an update by hand.
@Entity final class HandFareStage: RemoteEntity {
  @UID @Key("line_id") var line: Int
  @UID var code: String
  var price: Int?
  var stop: FareStop?

  static var basePath: String { "handstages" }

  func update(with response: ResponseObject) throws {
    try response.assign("line_id", to: &line)
    try response.assign("code", to: &code)
    try response.assign("price", to: &price)
    try response.assign("stop", to: &stop)
  }
}

/// Has a URL that is not the base path and the uid; an older version of an object changes nothing.
@Entity final class FareZone: RemoteEntity {
  @UID var line: Int
  @UID var zone: String
  var price: Int?
  var revision: Int?
  var stop: FareStop?

  static var basePath: String { "zones" }
  static var versionAttribute: PartialKeyPath<FareZone>? { \.revision }
  static var objectPath: String? { "/v1/lines/{line}/zones/{zone}/" }
  static var routes: [EntityRoute<FareZone>] { [.relationship(\.stop, at: "/v1/stops/of/{zone}")] }
}

/// Has one uid, and a URL that is not the base path and the uid.
@Entity final class FareBooth: RemoteEntity {
  @UID var uid: Int
  var name: String?

  static var basePath: String { "booths" }
  static var objectPath: String? { "/v2/booths/{uid}" }
}

let fareEntities: [any ManagedEntity.Type] = [
  FareStage.self, FareStop.self, HandFareStage.self, FareZone.self, FareBooth.self,
]
