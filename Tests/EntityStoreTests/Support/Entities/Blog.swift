import EntityMacros
import EntityStore
import TestSchema

/// A version of an entity before it had a required link.
@Entity final class LooseNote {
  var text: String

  static let entityName = "Memo"
}

@Entity final class BoundNote {
  var text: String
  var writer: Writer

  static let entityName = "Memo"
}

// Other modules have types of these names, too.
typealias Writer = TestSchema.Writer
typealias Page = TestSchema.Page
typealias Tag = TestSchema.Tag

extension TestStore {
  /// The entities of the blog.
  static let blog: [any ManagedEntity.Type] = Writer.world
}
