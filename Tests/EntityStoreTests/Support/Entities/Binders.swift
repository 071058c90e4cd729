import EntityMacros
import EntityStore
import TestSchema

/// `Loop` without its many-to-many relationship.
@Entity final class BareLoop {
  var name: String

  static let entityName = "Loop"
}
