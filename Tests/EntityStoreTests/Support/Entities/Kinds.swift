import EntityMacros
import EntityStore
import Foundation

/// Has a uid beyond Int64, and exact numbers in JSON.
@Entity final class Offer {
  @UID @Key("id") var uid: UInt64
  var prices: [String: Decimal]
}

enum Whereabouts: String, AttributeValue {
  case home
  case café = "caf\u{E9}"
}

/// Has a case whose raw value can be spelled in two ways.
@Entity final class Guest {
  var place: Whereabouts = .home
}
