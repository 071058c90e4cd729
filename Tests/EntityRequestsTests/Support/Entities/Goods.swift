import EntityClient
import Foundation

enum Rank: String, CaseIterable, AttributeValue { case chief, member }

enum Tier: Int, Codable, CaseIterable, AttributeValue { case low = 1, high = 10 }

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

enum CentsTransformer: AttributeTransformer {
  static func value(from cents: Int) -> Decimal { Decimal(cents) / 100 }
  static func source(from price: Decimal) throws -> Int {
    guard let cents = Int("\(price * 100)") else { throw AttributeError("whole cents were expected") }
    return cents
  }
}

/// From an object to two words, and back.
enum PairTransformer: AttributeTransformer {
  struct Pair: Codable {
    var first: String
    var last: String
  }

  static func value(from pair: Pair) throws -> String { "\(pair.first) \(pair.last)" }
  static func source(from name: String) throws -> Pair {
    let words = name.split(separator: " ")
    guard words.count == 2 else { throw AttributeError("two words were expected") }
    return Pair(first: String(words[0]), last: String(words[1]))
  }
}

enum DayTransformer: Transformers.DateFormat {
  static let format = "dd.MM.yyyy"
}

/// `""` is no text.
enum EmptyTransformer: AttributeTransformer {
  static func value(from text: String) -> String? { text.isEmpty ? nil : text }
  static func source(from text: String?) -> String { text ?? "" }
}

/// A letter for each rank.
enum RankTransformer: AttributeTransformer {
  static func value(from letter: String) throws -> Rank {
    switch letter {
    case "C": .chief
    case "M": .member
    default: throw AttributeError("C or M was expected")
    }
  }
  static func source(from rank: Rank) -> String { rank == .chief ? "C" : "M" }
}

/// Attributes of types that are stored as something else, from transformers and from nested keys.
@Entity final class Goods: RemoteEntity {
  @UID @Key("id") var uid: Int
  var float: Float
  var decimal: Decimal?
  var url: URL?
  var rank: Rank = .member
  var maybeRank: Rank?
  var tier: Tier?
  var grants: Grants
  var setup: Setup = Setup()
  var maybeSetup: Setup?
  var tags: [String]
  @Transformed(by: CentsTransformer.self) var price: Decimal
  @Transformed(by: PairTransformer.self) var name: String?
  @Transformed(by: DayTransformer.self) var day: Date?
  @Transformed(by: EmptyTransformer.self) var note: String?
  @Transformed(by: RankTransformer.self) var letter: Rank = .member
  @Key("place.city") var city: String?
  @Key("place.zip.code") var zip: Int
  @Key("place.zip.area") var area: String?

  static var basePath: String { "goods" }
}

/// The same, updated by hand.
@Entity final class HandGoods: RemoteEntity {
  @UID @Key("id") var uid: Int
  var float: Float
  var decimal: Decimal?
  var url: URL?
  var rank: Rank = .member
  var maybeRank: Rank?
  var tier: Tier?
  var grants: Grants
  var setup: Setup = Setup()
  var maybeSetup: Setup?
  var tags: [String]
  @Transformed(by: CentsTransformer.self) var price: Decimal
  @Transformed(by: PairTransformer.self) var name: String?
  @Transformed(by: DayTransformer.self) var day: Date?
  @Transformed(by: EmptyTransformer.self) var note: String?
  @Transformed(by: RankTransformer.self) var letter: Rank = .member
  @Key("place.city") var city: String?
  @Key("place.zip.code") var zip: Int
  @Key("place.zip.area") var area: String?

  static var basePath: String { "handgoods" }

  func update(with response: ResponseObject) throws {
    try response.assign("id", to: &uid)
    try response.assign("float", to: &float)
    try response.assign("decimal", to: &decimal)
    try response.assign("url", to: &url)
    try response.assign("rank", to: &rank)
    try response.assign("maybe_rank", to: &maybeRank)
    try response.assign("tier", to: &tier)
    try response.assign("grants", to: &grants)
    try response.assign("setup", to: &setup)
    try response.assign("maybe_setup", to: &maybeSetup)
    try response.assign("tags", to: &tags)
    try response.assign("price", to: &price)
    try response.assign("name", to: &name)
    try response.assign("day", to: &day)
    try response.assign("note", to: &note)
    try response.assign("letter", to: &letter)
    try response.assign("place.city", to: &city)
    try response.assign("place.zip.code", to: &zip)
    try response.assign("place.zip.area", to: &area)
  }
}
