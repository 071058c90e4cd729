import EntityStore
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

enum Figure: Codable, Equatable {
  case circle(radius: Double)
  case square
}

/// Each type that an attribute can have, beyond those of `Values`.
nonisolated final class Kinds: ManagedEntity {
  struct Columns: Sendable {
    let uid = Column<Kinds, Int>(0, "uid")
    let float = Column<Kinds, Float>(1, "float")
    let maybeFloat = Column<Kinds, Float?>(2, "maybeFloat")
    let decimal = Column<Kinds, Decimal>(3, "decimal")
    let maybeDecimal = Column<Kinds, Decimal?>(4, "maybeDecimal")
    let url = Column<Kinds, URL>(5, "url")
    let maybeURL = Column<Kinds, URL?>(6, "maybeURL")
    let rank = Column<Kinds, Rank>(7, "rank")
    let maybeRank = Column<Kinds, Rank?>(8, "maybeRank")
    let tier = Column<Kinds, Tier>(9, "tier")
    let maybeTier = Column<Kinds, Tier?>(10, "maybeTier")
    let grants = Column<Kinds, Grants>(11, "grants")
    let maybeGrants = Column<Kinds, Grants?>(12, "maybeGrants")
    let setup = Column<Kinds, Setup>(13, "setup")
    let maybeSetup = Column<Kinds, Setup?>(14, "maybeSetup")
    let figure = Column<Kinds, Figure>(15, "figure")
    let maybeFigure = Column<Kinds, Figure?>(16, "maybeFigure")
    let tags = Column<Kinds, [String]>(17, "tags")
    let maybeTags = Column<Kinds, [String]?>(18, "maybeTags")
    let counts = Column<Kinds, [String: Int]>(19, "counts")
  }

  static let columns: Columns = Columns()
  static let properties: [PropertyDescriptor] = [
    .property(\Kinds.uid, columns.uid, key: "id", uid: true),
    .property(\Kinds.float, columns.float, indexed: true),
    .property(\Kinds.maybeFloat, columns.maybeFloat),
    .property(\Kinds.decimal, columns.decimal, indexed: true),
    .property(\Kinds.maybeDecimal, columns.maybeDecimal, unique: true),
    .property(\Kinds.url, columns.url),
    .property(\Kinds.maybeURL, columns.maybeURL, unique: true),
    .property(\Kinds.rank, columns.rank, indexed: true, default: .member),
    .property(\Kinds.maybeRank, columns.maybeRank),
    .property(\Kinds.tier, columns.tier, default: .low),
    .property(\Kinds.maybeTier, columns.maybeTier, unique: true),
    .property(\Kinds.grants, columns.grants),
    .property(\Kinds.maybeGrants, columns.maybeGrants),
    .property(\Kinds.setup, columns.setup, default: Setup(isDark: true)),
    .property(\Kinds.maybeSetup, columns.maybeSetup),
    .property(\Kinds.figure, columns.figure, default: .square),
    .property(\Kinds.maybeFigure, columns.maybeFigure),
    .property(\Kinds.tags, columns.tags),
    .property(\Kinds.maybeTags, columns.maybeTags, default: ["new"]),
    .property(\Kinds.counts, columns.counts),
  ]

  let _$state: ObjectState

  private var _$$uid = Slot<Int>()
  private var _$$float = Slot<Float>()
  private var _$$maybeFloat = Slot<Float?>()
  private var _$$decimal = Slot<Decimal>()
  private var _$$maybeDecimal = Slot<Decimal?>()
  private var _$$url = Slot<URL>()
  private var _$$maybeURL = Slot<URL?>()
  private var _$$rank = Slot<Rank>()
  private var _$$maybeRank = Slot<Rank?>()
  private var _$$tier = Slot<Tier>()
  private var _$$maybeTier = Slot<Tier?>()
  private var _$$grants = Slot<Grants>()
  private var _$$maybeGrants = Slot<Grants?>()
  private var _$$setup = Slot<Setup>()
  private var _$$maybeSetup = Slot<Setup?>()
  private var _$$figure = Slot<Figure>()
  private var _$$maybeFigure = Slot<Figure?>()
  private var _$$tags = Slot<[String]>()
  private var _$$maybeTags = Slot<[String]?>()
  private var _$$counts = Slot<[String: Int]>()

  init(_ state: ObjectState) { _$state = state }

  var uid: Int {
    get { _get(\.uid, Self.columns.uid, _$$uid) }
    set { _set(\.uid, Self.columns.uid, _$$uid, newValue) { _$$uid = $0 } }
  }

  var float: Float {
    get { _get(\.float, Self.columns.float, _$$float) }
    set { _set(\.float, Self.columns.float, _$$float, newValue) { _$$float = $0 } }
  }

  var maybeFloat: Float? {
    get { _get(\.maybeFloat, Self.columns.maybeFloat, _$$maybeFloat) }
    set { _set(\.maybeFloat, Self.columns.maybeFloat, _$$maybeFloat, newValue) { _$$maybeFloat = $0 } }
  }

  var decimal: Decimal {
    get { _get(\.decimal, Self.columns.decimal, _$$decimal) }
    set { _set(\.decimal, Self.columns.decimal, _$$decimal, newValue) { _$$decimal = $0 } }
  }

  var maybeDecimal: Decimal? {
    get { _get(\.maybeDecimal, Self.columns.maybeDecimal, _$$maybeDecimal) }
    set { _set(\.maybeDecimal, Self.columns.maybeDecimal, _$$maybeDecimal, newValue) { _$$maybeDecimal = $0 } }
  }

  var url: URL {
    get { _get(\.url, Self.columns.url, _$$url) }
    set { _set(\.url, Self.columns.url, _$$url, newValue) { _$$url = $0 } }
  }

  var maybeURL: URL? {
    get { _get(\.maybeURL, Self.columns.maybeURL, _$$maybeURL) }
    set { _set(\.maybeURL, Self.columns.maybeURL, _$$maybeURL, newValue) { _$$maybeURL = $0 } }
  }

  var rank: Rank {
    get { _get(\.rank, Self.columns.rank, _$$rank) }
    set { _set(\.rank, Self.columns.rank, _$$rank, newValue) { _$$rank = $0 } }
  }

  var maybeRank: Rank? {
    get { _get(\.maybeRank, Self.columns.maybeRank, _$$maybeRank) }
    set { _set(\.maybeRank, Self.columns.maybeRank, _$$maybeRank, newValue) { _$$maybeRank = $0 } }
  }

  var tier: Tier {
    get { _get(\.tier, Self.columns.tier, _$$tier) }
    set { _set(\.tier, Self.columns.tier, _$$tier, newValue) { _$$tier = $0 } }
  }

  var maybeTier: Tier? {
    get { _get(\.maybeTier, Self.columns.maybeTier, _$$maybeTier) }
    set { _set(\.maybeTier, Self.columns.maybeTier, _$$maybeTier, newValue) { _$$maybeTier = $0 } }
  }

  var grants: Grants {
    get { _get(\.grants, Self.columns.grants, _$$grants) }
    set { _set(\.grants, Self.columns.grants, _$$grants, newValue) { _$$grants = $0 } }
  }

  var maybeGrants: Grants? {
    get { _get(\.maybeGrants, Self.columns.maybeGrants, _$$maybeGrants) }
    set { _set(\.maybeGrants, Self.columns.maybeGrants, _$$maybeGrants, newValue) { _$$maybeGrants = $0 } }
  }

  var setup: Setup {
    get { _get(\.setup, Self.columns.setup, _$$setup) }
    set { _set(\.setup, Self.columns.setup, _$$setup, newValue) { _$$setup = $0 } }
  }

  var maybeSetup: Setup? {
    get { _get(\.maybeSetup, Self.columns.maybeSetup, _$$maybeSetup) }
    set { _set(\.maybeSetup, Self.columns.maybeSetup, _$$maybeSetup, newValue) { _$$maybeSetup = $0 } }
  }

  var figure: Figure {
    get { _get(\.figure, Self.columns.figure, _$$figure) }
    set { _set(\.figure, Self.columns.figure, _$$figure, newValue) { _$$figure = $0 } }
  }

  var maybeFigure: Figure? {
    get { _get(\.maybeFigure, Self.columns.maybeFigure, _$$maybeFigure) }
    set { _set(\.maybeFigure, Self.columns.maybeFigure, _$$maybeFigure, newValue) { _$$maybeFigure = $0 } }
  }

  var tags: [String] {
    get { _get(\.tags, Self.columns.tags, _$$tags) }
    set { _set(\.tags, Self.columns.tags, _$$tags, newValue) { _$$tags = $0 } }
  }

  var maybeTags: [String]? {
    get { _get(\.maybeTags, Self.columns.maybeTags, _$$maybeTags) }
    set { _set(\.maybeTags, Self.columns.maybeTags, _$$maybeTags, newValue) { _$$maybeTags = $0 } }
  }

  var counts: [String: Int] {
    get { _get(\.counts, Self.columns.counts, _$$counts) }
    set { _set(\.counts, Self.columns.counts, _$$counts, newValue) { _$$counts = $0 } }
  }

  func _$load(_ row: RowReader) {
    _load(row, Self.columns.uid, &_$$uid)
    _load(row, Self.columns.float, &_$$float)
    _load(row, Self.columns.maybeFloat, &_$$maybeFloat)
    _load(row, Self.columns.decimal, &_$$decimal)
    _load(row, Self.columns.maybeDecimal, &_$$maybeDecimal)
    _load(row, Self.columns.url, &_$$url)
    _load(row, Self.columns.maybeURL, &_$$maybeURL)
    _load(row, Self.columns.rank, &_$$rank)
    _load(row, Self.columns.maybeRank, &_$$maybeRank)
    _load(row, Self.columns.tier, &_$$tier)
    _load(row, Self.columns.maybeTier, &_$$maybeTier)
    _load(row, Self.columns.grants, &_$$grants)
    _load(row, Self.columns.maybeGrants, &_$$maybeGrants)
    _load(row, Self.columns.setup, &_$$setup)
    _load(row, Self.columns.maybeSetup, &_$$maybeSetup)
    _load(row, Self.columns.figure, &_$$figure)
    _load(row, Self.columns.maybeFigure, &_$$maybeFigure)
    _load(row, Self.columns.tags, &_$$tags)
    _load(row, Self.columns.maybeTags, &_$$maybeTags)
    _load(row, Self.columns.counts, &_$$counts)
  }

  func _$store(into row: inout RowValues) {
    _store(&row, Self.columns.uid, _$$uid)
    _store(&row, Self.columns.float, _$$float)
    _store(&row, Self.columns.maybeFloat, _$$maybeFloat)
    _store(&row, Self.columns.decimal, _$$decimal)
    _store(&row, Self.columns.maybeDecimal, _$$maybeDecimal)
    _store(&row, Self.columns.url, _$$url)
    _store(&row, Self.columns.maybeURL, _$$maybeURL)
    _store(&row, Self.columns.rank, _$$rank)
    _store(&row, Self.columns.maybeRank, _$$maybeRank)
    _store(&row, Self.columns.tier, _$$tier)
    _store(&row, Self.columns.maybeTier, _$$maybeTier)
    _store(&row, Self.columns.grants, _$$grants)
    _store(&row, Self.columns.maybeGrants, _$$maybeGrants)
    _store(&row, Self.columns.setup, _$$setup)
    _store(&row, Self.columns.maybeSetup, _$$maybeSetup)
    _store(&row, Self.columns.figure, _$$figure)
    _store(&row, Self.columns.maybeFigure, _$$maybeFigure)
    _store(&row, Self.columns.tags, _$$tags)
    _store(&row, Self.columns.maybeTags, _$$maybeTags)
    _store(&row, Self.columns.counts, _$$counts)
  }
}
