import EntityClient
import TestSupport

/// The schemas that random histories run on.
enum BatchSchema: String, CaseIterable, Sendable {
  /// Declared entities with attributes, links to one and references: the way that most rows go.
  case plain
  /// Attributes of all types, with transformers, by declaration and by hand.
  case values
  /// Ordered lists, lists on both sides, one-to-one, unique values, deletions.
  case tangles
  /// Lists of members with and without uid.
  case lists
  /// Required objects, lists on both sides.
  case films
  /// Versions and deletions.
  case versions
  /// Documents with parts, discriminators, values from around an object.
  case parts
  /// Guarded deletions, unique values, cascades.
  case cargos
  /// Updates by hand that nest declared objects, and the other way round.
  case hands
  /// Composite uids, derived, lazy and searched columns, values that are unique together.
  case odd
  /// More columns than a word has bits, and than a batch takes.
  case wide

  var entities: [any ManagedEntity.Type] {
    switch self {
    case .plain: [BatchUser.self, BatchCompany.self, BatchAddress.self, BatchNote.self, BatchTag.self]
    case .values: [Goods.self, HandGoods.self, Freight.self, HandFreight.self, Specimen.self, Priced.self, Ranked.self]
    case .tangles: [Tangle.self, HandTangle.self]
    case .lists:
      Chart.all + [
        Board.self, Card.self, Pin.self, HandBoard.self, HandCard.self, Picture.self, HandPicture.self, Stated.self,
        StatedPart.self, Handed.self, HandedPart.self,
      ]
    case .films:
      [Film.self, Player.self, Studio.self, HandFilm.self, HandPlayer.self, HandStudio.self] + RopeKnot.graph
    case .versions: reportEntities + [Ticket.self, HandTicket.self]
    case .parts: feedEntities + readingEntities + leafletEntities
    case .cargos: cargoEntities
    case .hands:
      [Book.self, Author.self, Cover.self, Chapter.self, BatchClerk.self, BatchDesk.self, BatchCompany.self]
        + [BatchUser.self, BatchAddress.self, BatchTag.self]
    case .odd: fareEntities + [BatchEntry.self, BatchShelf.self, BatchScan.self, BatchTag.self]
    case .wide: [BatchWide.self, BatchVast.self]
    }
  }

  /// How the values of an attribute are written that its type alone does not tell: of enums, transformers, and JSON.
  static func values(of property: String, in entity: String) -> [String]? {
    named["\(entity).\(property)"] ?? named[property]
  }

  private static let named: [String: [String]] = [
    "rank": [#""chief""#, #""member""#, #""boss""#],
    "Leaflet.rank": ["1", "2"],
    "HandLeaflet.rank": ["1", "2"],
    "maybeRank": [#""chief""#, #""boss""#, "null"],
    "tier": ["1", "10", "5", "null"],
    "grants": ["0", "1", "3"],
    "setup": [#"{"isDark":true,"limits":[]}"#, #"{"isDark":false,"limits":[{"name":"a","most":1.5}]}"#],
    "maybeSetup": [#"{"isDark":true,"limits":[]}"#, "null"],
    "tags": [#"["a","b"]"#, "[]", #"["b","a","c"]"#, #"["a\u0062"]"#],
    "Goods.price": ["1250", "5", "0"],
    "HandGoods.price": ["1250", "5", "0"],
    "Priced.price": ["1250", "5"],
    "Priced.text": ["1250", "5"],
    "Goods.name": [#"{"first":"a","last":"b"}"#, "null", #"{"last":"c","first":"a"}"#],
    "HandGoods.name": [#"{"first":"a","last":"b"}"#, "null", #"{"last":"c","first":"a"}"#],
    "Goods.day": [#""01.02.2024""#, "null"],
    "HandGoods.day": [#""01.02.2024""#, "null"],
    "day": [#""2024-02-01""#, #""2023-12-31""#, "null"],
    "firstDay": [#""2024-02-01""#, #""2023-12-31""#],
    "letter": [#""C""#, #""M""#],
    "extra": [#"{"b":1,"a":[true,null]}"#, "null", "5.0", #""text""#, "[]"],
    "info": ["{}", "[1,2]", #""x""#, "1e2"],
    "object": ["{}", #"{"z":1,"a":{"b":[]}}"#],
    "array": ["[]", #"[1,"a",{}]"#],
    "BatchEntry.place": (0..<60).map { "\($0)" },
    "BatchEntry.notes": ["[]", #"["a"]"#, #"["b\n","c"]"#],
  ]
}

/// The shape of a history, chosen by its seed.
struct BatchProfile {
  var steps = 8
  /// The most objects of a response.
  var objects = 16
  /// How many uids an entity has.
  var uids = 14
  var depth = 2
  var isInOrder = false
  /// The least objects of a response.
  var least = 0
  // Each of these happens once in so many times; 0 is never.
  var partial = 2
  var repeats = 0
  var faults = 0
  var oddities = 0
  var changes = 0
  var options = 0
  var overlaps = 0
  var lists = 2
  var usesMain = false
  var hasHistory = false
  var hasUndo = false

  /// Half of the histories are plain ones; of these each fourth one has batches that are full and cut.
  init(_ schema: BatchSchema, _ seed: UInt64, _ random: inout SeededRandom) {
    let isPlain = schema == .plain && seed % 4 != 3
    if isPlain, seed % 8 == 0 {
      (steps, objects, least, uids, depth) = (3, 540, 250, 700, 1)
      partial = random.chance(2) ? 0 : 2
      isInOrder = random.chance(2)
      repeats = random.chance(2) ? 0 : 40
      usesMain = random.chance(4)
      hasHistory = random.chance(3)
      return
    }
    usesMain = random.chance(2)
    hasHistory = random.chance(3)
    partial = random.chance(3) ? 0 : 2
    oddities = random.chance(2) ? 0 : 6
    repeats = random.chance(2) ? 0 : 5
    (objects, uids) = random.chance(3) ? (40, 60) : (12, 8)
    if schema != .plain, random.chance(2) { objects = 7 }
    if isPlain { return }
    steps = 12
    faults = random.chance(2) ? 0 : 4
    changes = random.chance(3) ? 0 : 2
    options = random.chance(3) ? 0 : 3
    overlaps = random.chance(3) ? 6 : 0
    hasUndo = usesMain && changes > 0 && random.chance(2)
  }
}
