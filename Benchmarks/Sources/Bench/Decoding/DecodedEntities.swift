import EntityClient
import Foundation

enum DecodedRank: String, Codable, AttributeValue { case chief, member }

enum DecodedTier: Int, Codable, AttributeValue { case low = 1, high = 10 }

struct DecodedGrants: OptionSet, Codable, AttributeValue {
  let rawValue: Int
}

struct DecodedSetup: Codable, Equatable, AttributeValue {
  var isDark = false
  var names: [String] = []
  var since: Date?
  var blob: Data?
}

/// An attribute of each type, each of them once more as an Optional.
@Entity final class DecodedValues {
  @UID var uid: UUID
  var bool: Bool
  var int: Int
  var int8: Int8
  var int16: Int16
  var int32: Int32
  var int64: Int64
  var uint: UInt
  var uint8: UInt8
  var uint16: UInt16
  var uint32: UInt32
  var uint64: UInt64
  var double: Double
  var float: Float
  var decimal: Decimal
  var string: String
  var data: Data
  var date: Date
  @Transformed(by: DateOnly.self) var day: Date
  var url: URL
  var rank: DecodedRank = .member
  var tier: DecodedTier = .low
  var grants: DecodedGrants
  var setup: DecodedSetup = DecodedSetup()
  var list: [String]
  var set: Set<Int>
  var counts: [String: Int]
  var free: JSONValue = [:]
  var maybeBool: Bool?
  var maybeInt64: Int64?
  var maybeUInt64: UInt64?
  var maybeDouble: Double?
  var maybeFloat: Float?
  var maybeDecimal: Decimal?
  var maybeString: String?
  var maybeData: Data?
  var maybeDate: Date?
  var maybeUUID: UUID?
  var maybeURL: URL?
  var maybeRank: DecodedRank?
  var maybeTier: DecodedTier?
  var maybeGrants: DecodedGrants?
  var maybeSetup: DecodedSetup?
  var maybeList: [String]?
}

/// A uid of two parts, links and lists.
@Entity final class DecodedPage {
  @UID var book: Int
  @UID var number: String
  var next: DecodedPage?
  @Relationship(inverse: \DecodedPage.next) var previous: [DecodedPage]
  @Relationship(inverse: nil) var words: [DecodedWord]
  @Relationship(inverse: \DecodedLine.page, ordered: true) var lines: [DecodedLine]
}

@Entity final class DecodedWord {
  @UID var uid: String
}

@Entity final class DecodedLine {
  @UID var uid: Int
  var page: DecodedPage?
}
