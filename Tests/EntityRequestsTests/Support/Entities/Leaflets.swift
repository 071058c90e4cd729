import EntityClient
import Foundation

// Objects that are filled from the context that they stand in, by declaration and by hand.

@Entity final class Dossier: RemoteEntity {
  @UID @Key("id") var uid: Int
  var name: String?
  var cover: Leaflet?
  @Relationship(inverse: \Leaflet.dossier) var leaflets: [Leaflet]

  static var basePath: String { "dossiers" }
}

@Entity final class Leaflet: RemoteEntity {
  @UID @Key("id") var uid: Int
  var title: String?
  var rank: Int = -1
  var dossierName: String?
  var region: String?
  var copies: Int?
  var page: Int?
  var owner: String?
  var dossier: Dossier?
  /// An embedded object with an origin of its own.
  var stamp: LeafletSeal?

  static var basePath: String { "leaflets" }

  static var origins: [ValueOrigin<Leaflet>] {
    [
      .position(\.rank), .parent("name", \.dossierName), .root("meta.region", \.region), .header("X-Copies", \.copies),
      .url("page", \.page), .parameter("owner", \.owner),
    ]
  }
}

/// Embedded in a leaflet.
@Entity final class LeafletSeal: RemoteEntity {
  var text: String?
  var leafletTitle: String?

  static var basePath: String { "seals" }
  static var origins: [ValueOrigin<LeafletSeal>] { [.parent("title", \.leafletTitle)] }
}

/// As `Leaflet`, updated by hand: the title is the way to it.
@Entity final class HandLeaflet: RemoteEntity {
  @UID @Key("id") var uid: Int
  var title: String?
  var rank: Int = -1
  var dossier: HandDossier?
  /// The objects around it, the innermost last.
  var way: String?
  var facts: String?
  @Relationship(inverse: \HandLeaflet.outer) var inner: [HandLeaflet]
  var outer: HandLeaflet?

  static var basePath: String { "handleaflets" }
  static var origins: [ValueOrigin<HandLeaflet>] { [.position(\.rank)] }

  func update(with response: ResponseObject) throws {
    if response.contains("declares") { try assignDeclared(from: response) }
    // The context is that of this object, also after others were read that are nested in it.
    try response.assign("inner", to: &inner)
    let context = response.context
    var steps: [String] = []
    var step: ResponseObject? = response
    while let object = step {
      steps.append("\(object["id"]?.int64 ?? 0)@\(object.context.position.map(String.init) ?? "-")")
      step = object.context.parent
    }
    way = steps.reversed().joined(separator: "/")
    facts = [
      context.status.map(String.init), context.headers["X-Copies"], context.url?.absoluteString,
      context.root?["meta.region"]?.string, context.parameters["owner"], context.part,
    ].map { $0 ?? "-" }.joined(separator: " ")
  }
}

@Entity final class HandDossier: RemoteEntity {
  @UID @Key("id") var uid: Int
  @Relationship(inverse: \HandLeaflet.dossier) var leaflets: [HandLeaflet]
  var cover: HandLeaflet?
  var binder: Binder?

  static var basePath: String { "handdossiers" }
}

/// Between two that ask for their context, and asks for none.
@Entity final class Binder {
  @UID @Key("id") var uid: Int
  var leaflet: HandLeaflet?
}

let leafletEntities: [any ManagedEntity.Type] = [
  Dossier.self, Leaflet.self, LeafletSeal.self, HandLeaflet.self, HandDossier.self, Binder.self,
]
