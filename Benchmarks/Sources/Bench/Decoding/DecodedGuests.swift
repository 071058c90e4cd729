import EntityClient
import Foundation
import GRDB

/// Derived and lazy columns, and the side of a one-to-one relationship that has no column.
@Entity final class DecodedGuest {
  @UID var uid: Int
  var name: String
  var nights: Int
  @Lazy var photo: Data?
  @Lazy var remarks: String
  @Lazy var setup: DecodedSetup?
  @Relationship(inverse: \DecodedBadge.guest) var badge: DecodedBadge?

  @Derived @Indexed var folded: String { name.lowercased() }
  @Derived var total: Int { nights * 3 - 4 }
  @Derived var mean: Double? { nights == 0 ? nil : 1 / Double(nights) }
  @Derived var isLong: Bool { nights > 1 }
  @Derived var price: Decimal { Decimal(nights) / 8 }
  @Derived var rank: DecodedRank { nights > 1 ? .chief : .member }
}

/// Has the column of the one-to-one relationship.
@Entity final class DecodedBadge {
  @UID var uid: Int
  var guest: DecodedGuest?
}

/// A row of `DecodedGuest`.
struct DecodedGuestRecord: DecodedRow {
  var pk: Int64
  var uid: Int
  var name: String
  var nights: Int
  var photo: Data?
  var remarks: String
  var setup: DecodedSetup?
  var folded: String
  var total: Int
  var mean: Double?
  var isLong: Bool
  var price: SortedDecimal
  var rank: DecodedRank

  enum CodingKeys: String, CodingKey {
    case uid, name, nights, photo, remarks, setup, folded, total, mean, isLong, price, rank
    case pk = "_pk"
  }

  static func all(_ database: Database) throws -> [DecodedGuestRecord] {
    try fetchAll(database, sql: "SELECT * FROM DecodedGuest ORDER BY _pk")
  }

  func badge(_ database: Database) throws -> Int? {
    try Int.fetchOne(database, sql: "SELECT uid FROM DecodedBadge WHERE guest = ?", arguments: [pk])
  }
}

extension DecodingCheck {
  static func fillGuests(_ main: EntityContext) throws {
    let guests = try (0..<4).map { number in
      let guest = try main.insert(DecodedGuest.self)
      (guest.uid, guest.nights) = (number, number)
      return guest
    }
    (guests[1].name, guests[2].name) = ("ÉLAN", "a\"b")
    guests[1].photo = Data()
    guests[2].photo = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0) })
    (guests[1].remarks, guests[2].remarks) = (String(repeating: "ä€", count: 40_000), "NULL")
    guests[2].setup = DecodedSetup(isDark: true, names: ["é"], blob: Data([1]))
    let badges = try (10...12).map { uid in
      let badge = try main.insert(DecodedBadge.self)
      badge.uid = uid
      return badge
    }
    // By either side; the third guest has the badge that the first one had.
    badges[0].guest = guests[0]
    guests[1].badge = badges[1]
    guests[2].badge = badges[0]
  }

  mutating func compareGuests(_ main: EntityContext, _ queue: DatabaseQueue) throws {
    let guests = try main.fetch(DecodedGuest.all)
    let records = try queue.read { database in
      try DecodedGuestRecord.all(database).map { ($0, try $0.badge(database)) }
    }
    try same("the guests", guests.count, records.count)
    for (guest, (record, badge)) in zip(guests, records) {
      try same("uid", guest.uid, record.uid)
      try same("name", guest.name, record.name)
      try same("nights", guest.nights, record.nights)
      try same("photo", guest.photo, record.photo)
      try same("remarks", guest.remarks, record.remarks)
      try same("setup", guest.setup, record.setup)
      try same("folded", guest.folded, record.folded)
      try same("total", guest.total, record.total)
      try same("mean", guest.mean?.bitPattern, record.mean?.bitPattern)
      try same("isLong", guest.isLong, record.isLong)
      try same("price", guest.price, record.price.value)
      try same("rank", guest.rank, record.rank)
      try same("badge", guest.badge?.uid, badge)
    }
  }
}
