package import EntityMacros
package import EntityStore

/// Ordered relationships of each kind.
@Entity package final class Mix {
  @UID @Key("id") package var number: Int
  package var title: String?
  @Relationship(ordered: true) package var tunes: [Tune]
  @Relationship(inverse: \Remark.mix, ordered: true) package var remarks: [Remark]
  @Relationship(inverse: \Verse.mix, onDelete: .cascade, ordered: true) package var verses: [Verse]
}

@Entity package final class Tune {
  @UID @Key("id") package var number: Int
  package var title: String?
  /// In an order of its own.
  @Relationship(inverse: \Mix.tunes, ordered: true) package var mixes: [Mix]
}

@Entity package final class Remark {
  @UID @Key("id") package var number: Int
  package var text: String?
  package var mix: Mix?
}

/// Has no uid: it lives in its mix.
@Entity package final class Verse {
  package var number: Int
  package var mix: Mix?
}

extension Mix {
  package static let world: [any ManagedEntity.Type] = [Mix.self, Tune.self, Remark.self, Verse.self]
}
