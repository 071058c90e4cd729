package import EntityMacros
package import EntityStore
package import Foundation

/// Lazy attributes between others.
@Entity package final class Portrait {
  @UID @Key("id") package var uid: Int?
  @Lazy package var picture: Data?
  package var title: String
  package var price: Int
  @Lazy package var story: String = "none"
  @Lazy package var layers: [String]
  package var atelier: Atelier?
}

/// Has no uid, and an ordered list.
@Entity package final class Atelier {
  package var name: String
  @Relationship(inverse: \Portrait.atelier, ordered: true) package var portraits: [Portrait]
}

extension Portrait {
  package static let world: [any ManagedEntity.Type] = [Portrait.self, Atelier.self]
}
