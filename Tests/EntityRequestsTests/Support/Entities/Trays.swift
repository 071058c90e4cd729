import EntityClient

// An entity that updates by hand, and nests objects with the declared mapping, which nest it in turn.

/// Updated by hand. The response names what its update does besides.
@Entity final class Tray: RemoteEntity {
  @UID @Key("id") var uid: Int
  var name: String?
  var note: String?
  var lot: Lot?
  @Relationship(inverse: \Lot.tray) var lots: [Lot]
  @Relationship(inverse: nil, ordered: true) var marks: [Lot]
  var slip: Slip?
  @Relationship(inverse: \Slip.tray) var slips: [Slip]
  @Relationship(inverse: \Bolt.tray) var bolts: [Bolt]
  var outer: Tray?

  static var basePath: String { "trays" }
  static var deletionKey: String? { "deleted" }

  func update(with response: ResponseObject) throws {
    let act = response["do"]?.string
    if act == "declared" { return try assignDeclared(from: response) }
    if act == "make", let context = entityContext {
      let lot = try context.insert(Lot.self)
      lot.uid = 7
      lot.name = "made"
    }
    if act == "ignore" { _ = try? response.upsert(Lot.self, from: "ignored") }
    if act == "loose" { _ = try response.upsert(Slip.self, from: "slip") }
    try response.assign("name", to: &name)
    try response.assign("lot", to: &lot)
    if act == "rename" { lot?.name = "renamed" }
    try response.assign("slip", to: &slip)
    try response.assign("lots", to: &lots)
    try response.assign("marks", to: &marks)
    try response.assign("slips", to: &slips)
    try response.assign("bolts", to: &bolts)
    try response.assign("outer", to: &outer)
    if act == "read" { note = "\(lot?.name ?? "-") \(lot?.slip?.text ?? "-") \(lots.map(\.uid).sorted())" }
    if act == "count", let context = entityContext {
      let objects = context.changes.inserted
      note = "\(objects.filter { $0 is Lot }.count) of \(try context.count(Lot.all))"
    }
  }
}

/// Mapped by its declared properties.
@Entity final class Lot: RemoteEntity {
  @UID @Key("id") var uid: Int
  var name: String?
  var small: Int8?
  var revision: Int
  var tray: Tray?
  var bin: Bin?
  var inner: Tray?
  var next: Lot?
  var slip: Slip?
  @Relationship(inverse: \Bolt.lot) var bolts: [Bolt]

  static var basePath: String { "lots" }
  static var deletionKey: String? { "deleted" }
  static var versionAttribute: PartialKeyPath<Lot>? { \.revision }
}

/// Has no uid: lives in a tray, a lot or another slip.
@Entity final class Slip {
  var text: String?
  var size: Int8
  var tray: Tray?
  var copy: Slip?
}

/// Requires its tray.
@Entity final class Bolt: RemoteEntity {
  @UID @Key("id") var uid: Int
  var text: String?
  var tray: Tray
  var lot: Lot?

  static var basePath: String { "bolts" }
}

/// Updated by hand, and requires its tray.
@Entity final class Bin: RemoteEntity {
  @UID @Key("id") var uid: Int
  var tray: Tray
  @Relationship(inverse: \Lot.bin) var lots: [Lot]

  static var basePath: String { "bins" }

  func update(with response: ResponseObject) throws {
    try response.assign("lots", to: &lots)
    try response.assign("tray", to: &tray)
  }
}

/// A store of trays, in memory.
func trays() throws -> EntityStore {
  try EntityStore(
    .inMemory, entities: [Tray.self, Lot.self, Slip.self, Bolt.self, Bin.self], busyTimeout: .seconds(60))
}

extension EntityStore {
  /// All objects as texts.
  func trayLines() async throws -> [String] {
    try await read { context in
      func text(_ slip: Slip?) -> String {
        slip.map { "\($0.text ?? "-")/\($0.size)" + ($0.copy == nil ? "" : " \(text($0.copy))") } ?? "-"
      }
      let trays = try context.fetch(Tray.self).map { tray in
        "tray \(tray.uid) \(tray.name ?? "-") \(tray.note ?? "-") \(tray.lot?.uid ?? 0) \(tray.lots.map(\.uid).sorted())"
          + " \(tray.marks.map(\.uid)) \(text(tray.slip)) \(tray.slips.map { text($0) }.sorted())"
          + " \(tray.bolts.map(\.uid).sorted()) \(tray.outer?.uid ?? 0)"
      }
      let lots = try context.fetch(EntityQuery<Lot>(includesPlaceholders: true)).map { lot in
        "lot \(lot.uid)\(lot.isPlaceholder ? "?" : "") \(lot.name ?? "-") \(lot.revision) \(lot.tray?.uid ?? 0)"
          + " \(lot.bin?.uid ?? 0) \(lot.inner?.uid ?? 0) \(lot.next?.uid ?? 0) \(text(lot.slip))"
      }
      let bolts = try context.fetch(Bolt.self).map {
        "bolt \($0.uid) \($0.text ?? "-") \($0.tray.uid) \($0.lot?.uid ?? 0)"
      }
      let bins = try context.fetch(Bin.self).map { "bin \($0.uid) \($0.tray.uid)" }
      return (trays + lots + bolts + bins).sorted()
    }
  }

  /// How many slips nothing has.
  func looseSlips() async throws -> Int {
    try await read { context in
      let slips = try context.fetch(Slip.self)
      let held =
        try context.fetch(Tray.self).map(\.slip)
        + context.fetch(EntityQuery<Lot>(includesPlaceholders: true)).map(\.slip)
        + slips.map(\.copy)
      let ids = Set(held.compactMap { $0?.entityID })
      return slips.count { $0.tray == nil && !ids.contains($0.entityID) }
    }
  }
}
