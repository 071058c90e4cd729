import EntityClient
import Foundation
import Observation

enum Rank: String { case chief, member }

enum Tier: Int, Codable { case low = 1, high = 10 }

struct Grants: OptionSet, Codable {
  let rawValue: Int
  static let read = Grants(rawValue: 1)
  static let write = Grants(rawValue: 2)
}

struct Setup: Codable, Equatable {
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

enum DayTransformer: DateFormatTransformer {
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
nonisolated final class Goods: ManagedEntity, RemoteEntity {
  static var basePath: String { "goods" }

  struct Columns: Sendable {
    let uid = Column<Goods, Int>(0, "uid")
    let float = Column<Goods, Float>(1, "float")
    let decimal = Column<Goods, Decimal?>(2, "decimal")
    let url = Column<Goods, URL?>(3, "url")
    let rank = Column<Goods, Rank>(4, "rank")
    let maybeRank = Column<Goods, Rank?>(5, "maybeRank")
    let tier = Column<Goods, Tier?>(6, "tier")
    let grants = Column<Goods, Grants>(7, "grants")
    let setup = Column<Goods, Setup>(8, "setup")
    let maybeSetup = Column<Goods, Setup?>(9, "maybeSetup")
    let tags = Column<Goods, [String]>(10, "tags")
    let price = Column<Goods, Decimal>(11, "price")
    let name = Column<Goods, String?>(12, "name")
    let day = Column<Goods, Date?>(13, "day")
    let note = Column<Goods, String?>(14, "note")
    let letter = Column<Goods, Rank>(15, "letter")
    let city = Column<Goods, String?>(16, "city")
    let zip = Column<Goods, Int>(17, "zip")
    let area = Column<Goods, String?>(18, "area")
  }

  static let columns: Columns = Columns()
  static let properties: [PropertyDescriptor] = [
    .property(\Goods.uid, columns.uid, key: "id", uid: true),
    .property(\Goods.float, columns.float),
    .property(\Goods.decimal, columns.decimal),
    .property(\Goods.url, columns.url),
    .property(\Goods.rank, columns.rank, default: .member),
    .property(\Goods.maybeRank, columns.maybeRank),
    .property(\Goods.tier, columns.tier),
    .property(\Goods.grants, columns.grants),
    .property(\Goods.setup, columns.setup, default: Setup()),
    .property(\Goods.maybeSetup, columns.maybeSetup),
    .property(\Goods.tags, columns.tags),
    .property(\Goods.price, columns.price, transformer: CentsTransformer.self),
    .property(\Goods.name, columns.name, transformer: PairTransformer.self),
    .property(\Goods.day, columns.day, transformer: DayTransformer.self),
    .property(\Goods.note, columns.note, transformer: EmptyTransformer.self),
    .property(\Goods.letter, columns.letter, default: .member, transformer: RankTransformer.self),
    .property(\Goods.city, columns.city, key: "place.city"),
    .property(\Goods.zip, columns.zip, key: "place.zip.code"),
    .property(\Goods.area, columns.area, key: "place.zip.area"),
  ]

  let _$state: ObjectState

  private var _$$uid = Slot<Int>()
  private var _$$float = Slot<Float>()
  private var _$$decimal = Slot<Decimal?>()
  private var _$$url = Slot<URL?>()
  private var _$$rank = Slot<Rank>()
  private var _$$maybeRank = Slot<Rank?>()
  private var _$$tier = Slot<Tier?>()
  private var _$$grants = Slot<Grants>()
  private var _$$setup = Slot<Setup>()
  private var _$$maybeSetup = Slot<Setup?>()
  private var _$$tags = Slot<[String]>()
  private var _$$price = Slot<Decimal>()
  private var _$$name = Slot<String?>()
  private var _$$day = Slot<Date?>()
  private var _$$note = Slot<String?>()
  private var _$$letter = Slot<Rank>()
  private var _$$city = Slot<String?>()
  private var _$$zip = Slot<Int>()
  private var _$$area = Slot<String?>()

  init(_ state: ObjectState) { _$state = state }

  var uid: Int {
    get { _get(\.uid, Self.columns.uid, _$$uid) }
    set { _set(\.uid, Self.columns.uid, _$$uid, newValue) { _$$uid = $0 } }
  }

  var float: Float {
    get { _get(\.float, Self.columns.float, _$$float) }
    set { _set(\.float, Self.columns.float, _$$float, newValue) { _$$float = $0 } }
  }

  var decimal: Decimal? {
    get { _get(\.decimal, Self.columns.decimal, _$$decimal) }
    set { _set(\.decimal, Self.columns.decimal, _$$decimal, newValue) { _$$decimal = $0 } }
  }

  var url: URL? {
    get { _get(\.url, Self.columns.url, _$$url) }
    set { _set(\.url, Self.columns.url, _$$url, newValue) { _$$url = $0 } }
  }

  var rank: Rank {
    get { _get(\.rank, Self.columns.rank, _$$rank) }
    set { _set(\.rank, Self.columns.rank, _$$rank, newValue) { _$$rank = $0 } }
  }

  var maybeRank: Rank? {
    get { _get(\.maybeRank, Self.columns.maybeRank, _$$maybeRank) }
    set { _set(\.maybeRank, Self.columns.maybeRank, _$$maybeRank, newValue) { _$$maybeRank = $0 } }
  }

  var tier: Tier? {
    get { _get(\.tier, Self.columns.tier, _$$tier) }
    set { _set(\.tier, Self.columns.tier, _$$tier, newValue) { _$$tier = $0 } }
  }

  var grants: Grants {
    get { _get(\.grants, Self.columns.grants, _$$grants) }
    set { _set(\.grants, Self.columns.grants, _$$grants, newValue) { _$$grants = $0 } }
  }

  var setup: Setup {
    get { _get(\.setup, Self.columns.setup, _$$setup) }
    set { _set(\.setup, Self.columns.setup, _$$setup, newValue) { _$$setup = $0 } }
  }

  var maybeSetup: Setup? {
    get { _get(\.maybeSetup, Self.columns.maybeSetup, _$$maybeSetup) }
    set { _set(\.maybeSetup, Self.columns.maybeSetup, _$$maybeSetup, newValue) { _$$maybeSetup = $0 } }
  }

  var tags: [String] {
    get { _get(\.tags, Self.columns.tags, _$$tags) }
    set { _set(\.tags, Self.columns.tags, _$$tags, newValue) { _$$tags = $0 } }
  }

  var price: Decimal {
    get { _get(\.price, Self.columns.price, _$$price) }
    set { _set(\.price, Self.columns.price, _$$price, newValue) { _$$price = $0 } }
  }

  var name: String? {
    get { _get(\.name, Self.columns.name, _$$name) }
    set { _set(\.name, Self.columns.name, _$$name, newValue) { _$$name = $0 } }
  }

  var day: Date? {
    get { _get(\.day, Self.columns.day, _$$day) }
    set { _set(\.day, Self.columns.day, _$$day, newValue) { _$$day = $0 } }
  }

  var note: String? {
    get { _get(\.note, Self.columns.note, _$$note) }
    set { _set(\.note, Self.columns.note, _$$note, newValue) { _$$note = $0 } }
  }

  var letter: Rank {
    get { _get(\.letter, Self.columns.letter, _$$letter) }
    set { _set(\.letter, Self.columns.letter, _$$letter, newValue) { _$$letter = $0 } }
  }

  var city: String? {
    get { _get(\.city, Self.columns.city, _$$city) }
    set { _set(\.city, Self.columns.city, _$$city, newValue) { _$$city = $0 } }
  }

  var zip: Int {
    get { _get(\.zip, Self.columns.zip, _$$zip) }
    set { _set(\.zip, Self.columns.zip, _$$zip, newValue) { _$$zip = $0 } }
  }

  var area: String? {
    get { _get(\.area, Self.columns.area, _$$area) }
    set { _set(\.area, Self.columns.area, _$$area, newValue) { _$$area = $0 } }
  }

  func _$load(_ row: RowReader) {
    _load(row, Self.columns.uid, &_$$uid)
    _load(row, Self.columns.float, &_$$float)
    _load(row, Self.columns.decimal, &_$$decimal)
    _load(row, Self.columns.url, &_$$url)
    _load(row, Self.columns.rank, &_$$rank)
    _load(row, Self.columns.maybeRank, &_$$maybeRank)
    _load(row, Self.columns.tier, &_$$tier)
    _load(row, Self.columns.grants, &_$$grants)
    _load(row, Self.columns.setup, &_$$setup)
    _load(row, Self.columns.maybeSetup, &_$$maybeSetup)
    _load(row, Self.columns.tags, &_$$tags)
    _load(row, Self.columns.price, &_$$price)
    _load(row, Self.columns.name, &_$$name)
    _load(row, Self.columns.day, &_$$day)
    _load(row, Self.columns.note, &_$$note)
    _load(row, Self.columns.letter, &_$$letter)
    _load(row, Self.columns.city, &_$$city)
    _load(row, Self.columns.zip, &_$$zip)
    _load(row, Self.columns.area, &_$$area)
  }

  func _$store(into row: inout RowValues) {
    _store(&row, Self.columns.uid, _$$uid)
    _store(&row, Self.columns.float, _$$float)
    _store(&row, Self.columns.decimal, _$$decimal)
    _store(&row, Self.columns.url, _$$url)
    _store(&row, Self.columns.rank, _$$rank)
    _store(&row, Self.columns.maybeRank, _$$maybeRank)
    _store(&row, Self.columns.tier, _$$tier)
    _store(&row, Self.columns.grants, _$$grants)
    _store(&row, Self.columns.setup, _$$setup)
    _store(&row, Self.columns.maybeSetup, _$$maybeSetup)
    _store(&row, Self.columns.tags, _$$tags)
    _store(&row, Self.columns.price, _$$price)
    _store(&row, Self.columns.name, _$$name)
    _store(&row, Self.columns.day, _$$day)
    _store(&row, Self.columns.note, _$$note)
    _store(&row, Self.columns.letter, _$$letter)
    _store(&row, Self.columns.city, _$$city)
    _store(&row, Self.columns.zip, _$$zip)
    _store(&row, Self.columns.area, _$$area)
  }
}

/// The same, updated by hand.
nonisolated final class HandGoods: ManagedEntity, RemoteEntity {
  static var basePath: String { "handgoods" }

  struct Columns: Sendable {
    let uid = Column<HandGoods, Int>(0, "uid")
    let float = Column<HandGoods, Float>(1, "float")
    let decimal = Column<HandGoods, Decimal?>(2, "decimal")
    let url = Column<HandGoods, URL?>(3, "url")
    let rank = Column<HandGoods, Rank>(4, "rank")
    let maybeRank = Column<HandGoods, Rank?>(5, "maybeRank")
    let tier = Column<HandGoods, Tier?>(6, "tier")
    let grants = Column<HandGoods, Grants>(7, "grants")
    let setup = Column<HandGoods, Setup>(8, "setup")
    let maybeSetup = Column<HandGoods, Setup?>(9, "maybeSetup")
    let tags = Column<HandGoods, [String]>(10, "tags")
    let price = Column<HandGoods, Decimal>(11, "price")
    let name = Column<HandGoods, String?>(12, "name")
    let day = Column<HandGoods, Date?>(13, "day")
    let note = Column<HandGoods, String?>(14, "note")
    let letter = Column<HandGoods, Rank>(15, "letter")
    let city = Column<HandGoods, String?>(16, "city")
    let zip = Column<HandGoods, Int>(17, "zip")
    let area = Column<HandGoods, String?>(18, "area")
  }

  static let columns: Columns = Columns()
  static let properties: [PropertyDescriptor] = [
    .property(\HandGoods.uid, columns.uid, key: "id", uid: true),
    .property(\HandGoods.float, columns.float),
    .property(\HandGoods.decimal, columns.decimal),
    .property(\HandGoods.url, columns.url),
    .property(\HandGoods.rank, columns.rank, default: .member),
    .property(\HandGoods.maybeRank, columns.maybeRank),
    .property(\HandGoods.tier, columns.tier),
    .property(\HandGoods.grants, columns.grants),
    .property(\HandGoods.setup, columns.setup, default: Setup()),
    .property(\HandGoods.maybeSetup, columns.maybeSetup),
    .property(\HandGoods.tags, columns.tags),
    .property(\HandGoods.price, columns.price, transformer: CentsTransformer.self),
    .property(\HandGoods.name, columns.name, transformer: PairTransformer.self),
    .property(\HandGoods.day, columns.day, transformer: DayTransformer.self),
    .property(\HandGoods.note, columns.note, transformer: EmptyTransformer.self),
    .property(\HandGoods.letter, columns.letter, default: .member, transformer: RankTransformer.self),
    .property(\HandGoods.city, columns.city, key: "place.city"),
    .property(\HandGoods.zip, columns.zip, key: "place.zip.code"),
    .property(\HandGoods.area, columns.area, key: "place.zip.area"),
  ]

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

  let _$state: ObjectState

  private var _$$uid = Slot<Int>()
  private var _$$float = Slot<Float>()
  private var _$$decimal = Slot<Decimal?>()
  private var _$$url = Slot<URL?>()
  private var _$$rank = Slot<Rank>()
  private var _$$maybeRank = Slot<Rank?>()
  private var _$$tier = Slot<Tier?>()
  private var _$$grants = Slot<Grants>()
  private var _$$setup = Slot<Setup>()
  private var _$$maybeSetup = Slot<Setup?>()
  private var _$$tags = Slot<[String]>()
  private var _$$price = Slot<Decimal>()
  private var _$$name = Slot<String?>()
  private var _$$day = Slot<Date?>()
  private var _$$note = Slot<String?>()
  private var _$$letter = Slot<Rank>()
  private var _$$city = Slot<String?>()
  private var _$$zip = Slot<Int>()
  private var _$$area = Slot<String?>()

  init(_ state: ObjectState) { _$state = state }

  var uid: Int {
    get { _get(\.uid, Self.columns.uid, _$$uid) }
    set { _set(\.uid, Self.columns.uid, _$$uid, newValue) { _$$uid = $0 } }
  }

  var float: Float {
    get { _get(\.float, Self.columns.float, _$$float) }
    set { _set(\.float, Self.columns.float, _$$float, newValue) { _$$float = $0 } }
  }

  var decimal: Decimal? {
    get { _get(\.decimal, Self.columns.decimal, _$$decimal) }
    set { _set(\.decimal, Self.columns.decimal, _$$decimal, newValue) { _$$decimal = $0 } }
  }

  var url: URL? {
    get { _get(\.url, Self.columns.url, _$$url) }
    set { _set(\.url, Self.columns.url, _$$url, newValue) { _$$url = $0 } }
  }

  var rank: Rank {
    get { _get(\.rank, Self.columns.rank, _$$rank) }
    set { _set(\.rank, Self.columns.rank, _$$rank, newValue) { _$$rank = $0 } }
  }

  var maybeRank: Rank? {
    get { _get(\.maybeRank, Self.columns.maybeRank, _$$maybeRank) }
    set { _set(\.maybeRank, Self.columns.maybeRank, _$$maybeRank, newValue) { _$$maybeRank = $0 } }
  }

  var tier: Tier? {
    get { _get(\.tier, Self.columns.tier, _$$tier) }
    set { _set(\.tier, Self.columns.tier, _$$tier, newValue) { _$$tier = $0 } }
  }

  var grants: Grants {
    get { _get(\.grants, Self.columns.grants, _$$grants) }
    set { _set(\.grants, Self.columns.grants, _$$grants, newValue) { _$$grants = $0 } }
  }

  var setup: Setup {
    get { _get(\.setup, Self.columns.setup, _$$setup) }
    set { _set(\.setup, Self.columns.setup, _$$setup, newValue) { _$$setup = $0 } }
  }

  var maybeSetup: Setup? {
    get { _get(\.maybeSetup, Self.columns.maybeSetup, _$$maybeSetup) }
    set { _set(\.maybeSetup, Self.columns.maybeSetup, _$$maybeSetup, newValue) { _$$maybeSetup = $0 } }
  }

  var tags: [String] {
    get { _get(\.tags, Self.columns.tags, _$$tags) }
    set { _set(\.tags, Self.columns.tags, _$$tags, newValue) { _$$tags = $0 } }
  }

  var price: Decimal {
    get { _get(\.price, Self.columns.price, _$$price) }
    set { _set(\.price, Self.columns.price, _$$price, newValue) { _$$price = $0 } }
  }

  var name: String? {
    get { _get(\.name, Self.columns.name, _$$name) }
    set { _set(\.name, Self.columns.name, _$$name, newValue) { _$$name = $0 } }
  }

  var day: Date? {
    get { _get(\.day, Self.columns.day, _$$day) }
    set { _set(\.day, Self.columns.day, _$$day, newValue) { _$$day = $0 } }
  }

  var note: String? {
    get { _get(\.note, Self.columns.note, _$$note) }
    set { _set(\.note, Self.columns.note, _$$note, newValue) { _$$note = $0 } }
  }

  var letter: Rank {
    get { _get(\.letter, Self.columns.letter, _$$letter) }
    set { _set(\.letter, Self.columns.letter, _$$letter, newValue) { _$$letter = $0 } }
  }

  var city: String? {
    get { _get(\.city, Self.columns.city, _$$city) }
    set { _set(\.city, Self.columns.city, _$$city, newValue) { _$$city = $0 } }
  }

  var zip: Int {
    get { _get(\.zip, Self.columns.zip, _$$zip) }
    set { _set(\.zip, Self.columns.zip, _$$zip, newValue) { _$$zip = $0 } }
  }

  var area: String? {
    get { _get(\.area, Self.columns.area, _$$area) }
    set { _set(\.area, Self.columns.area, _$$area, newValue) { _$$area = $0 } }
  }

  func _$load(_ row: RowReader) {
    _load(row, Self.columns.uid, &_$$uid)
    _load(row, Self.columns.float, &_$$float)
    _load(row, Self.columns.decimal, &_$$decimal)
    _load(row, Self.columns.url, &_$$url)
    _load(row, Self.columns.rank, &_$$rank)
    _load(row, Self.columns.maybeRank, &_$$maybeRank)
    _load(row, Self.columns.tier, &_$$tier)
    _load(row, Self.columns.grants, &_$$grants)
    _load(row, Self.columns.setup, &_$$setup)
    _load(row, Self.columns.maybeSetup, &_$$maybeSetup)
    _load(row, Self.columns.tags, &_$$tags)
    _load(row, Self.columns.price, &_$$price)
    _load(row, Self.columns.name, &_$$name)
    _load(row, Self.columns.day, &_$$day)
    _load(row, Self.columns.note, &_$$note)
    _load(row, Self.columns.letter, &_$$letter)
    _load(row, Self.columns.city, &_$$city)
    _load(row, Self.columns.zip, &_$$zip)
    _load(row, Self.columns.area, &_$$area)
  }

  func _$store(into row: inout RowValues) {
    _store(&row, Self.columns.uid, _$$uid)
    _store(&row, Self.columns.float, _$$float)
    _store(&row, Self.columns.decimal, _$$decimal)
    _store(&row, Self.columns.url, _$$url)
    _store(&row, Self.columns.rank, _$$rank)
    _store(&row, Self.columns.maybeRank, _$$maybeRank)
    _store(&row, Self.columns.tier, _$$tier)
    _store(&row, Self.columns.grants, _$$grants)
    _store(&row, Self.columns.setup, _$$setup)
    _store(&row, Self.columns.maybeSetup, _$$maybeSetup)
    _store(&row, Self.columns.tags, _$$tags)
    _store(&row, Self.columns.price, _$$price)
    _store(&row, Self.columns.name, _$$name)
    _store(&row, Self.columns.day, _$$day)
    _store(&row, Self.columns.note, _$$note)
    _store(&row, Self.columns.letter, _$$letter)
    _store(&row, Self.columns.city, _$$city)
    _store(&row, Self.columns.zip, _$$zip)
    _store(&row, Self.columns.area, _$$area)
  }
}
