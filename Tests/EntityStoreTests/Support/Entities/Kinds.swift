import EntityMacros
import EntityStore
import Foundation

enum Rank: String, AttributeValue { case chief, member }

enum Tier: Int, Codable, AttributeValue { case low = 1, high = 10 }

struct Grants: OptionSet, Codable, AttributeValue {
  let rawValue: Int
  static let read = Grants(rawValue: 1)
  static let write = Grants(rawValue: 2)
}

struct Setup: Codable, Equatable, AttributeValue {
  var isDark = false
  var limits: [Limit] = []
  var since: Date?
  var blob: Data?

  struct Limit: Codable, Equatable {
    var name: String
    var most: Double
  }
}

enum Figure: Codable, Equatable, AttributeValue {
  case circle(radius: Double)
  case square
}

/// Each type that an attribute can have, beyond those of `Values`.
@Entity final class Kinds {
  @UID @Key("id") var uid: Int
  @Indexed var float: Float
  var maybeFloat: Float?
  @Indexed var decimal: Decimal
  @Unique var maybeDecimal: Decimal?
  var url: URL
  @Unique var maybeURL: URL?
  @Indexed var rank: Rank = .member
  var maybeRank: Rank?
  var tier: Tier = .low
  @Unique var maybeTier: Tier?
  var grants: Grants
  var maybeGrants: Grants?
  var setup: Setup = Setup(isDark: true)
  var maybeSetup: Setup?
  var figure: Figure = .square
  var maybeFigure: Figure?
  var tags: [String]
  var maybeTags: [String]? = ["new"]
  var counts: [String: Int]
}

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
