package import EntityMacros
package import EntityStore
package import Foundation

package enum Rank: String, AttributeValue, Sendable { case chief, member }

package enum Tier: Int, Codable, AttributeValue, Sendable { case low = 1, high = 10 }

package struct Grants: OptionSet, Codable, AttributeValue, Sendable {
  package static let read = Grants(rawValue: 1)
  package static let write = Grants(rawValue: 2)

  package let rawValue: Int

  package init(rawValue: Int) { self.rawValue = rawValue }
}

package struct Setup: Codable, Equatable, AttributeValue, Sendable {
  package var isDark: Bool
  package var limits: [Limit]
  package var since: Date?
  package var blob: Data?

  package init(isDark: Bool = false, limits: [Limit] = [], since: Date? = nil, blob: Data? = nil) {
    (self.isDark, self.limits, self.since, self.blob) = (isDark, limits, since, blob)
  }

  package struct Limit: Codable, Equatable, Sendable {
    package var name: String
    package var most: Double

    package init(name: String, most: Double) { (self.name, self.most) = (name, most) }
  }
}

package enum Figure: Codable, Equatable, AttributeValue, Sendable {
  case circle(radius: Double)
  case square
}

/// Each type that an attribute can have, beyond those of `Values`.
@Entity package final class Kinds {
  @UID @Key("id") package var uid: Int
  @Indexed package var float: Float
  package var maybeFloat: Float?
  @Indexed package var decimal: Decimal
  @Unique package var maybeDecimal: Decimal?
  package var url: URL
  @Unique package var maybeURL: URL?
  @Indexed package var rank: Rank = .member
  package var maybeRank: Rank?
  package var tier: Tier = .low
  @Unique package var maybeTier: Tier?
  package var grants: Grants
  package var maybeGrants: Grants?
  package var setup: Setup = Setup(isDark: true)
  package var maybeSetup: Setup?
  package var figure: Figure = .square
  package var maybeFigure: Figure?
  package var tags: [String]
  package var maybeTags: [String]? = ["new"]
  package var counts: [String: Int]
}

extension Kinds {
  package static let world: [any ManagedEntity.Type] = [Kinds.self]
}
