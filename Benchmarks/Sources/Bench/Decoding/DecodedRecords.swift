import Foundation
import GRDB

// The rows of a store as records of GRDB: by its own decoding, and by what ARCHITECTURE.md says of a file.

/// A row, with dates as a file has them.
protocol DecodedRow: Codable, FetchableRecord {}

extension DecodedRow {
  static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy {
    .timeIntervalSince1970
  }

  static func databaseJSONDecoder(for column: String) -> JSONDecoder {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .custom { decoder in
      let text = try decoder.singleValueContainer().decode(String.self)
      return try Date.ISO8601FormatStyle(includingFractionalSeconds: text.contains(".")).parse(text)
    }
    return decoder
  }
}

/// The attributes of a row of `DecodedValues`.
struct DecodedRecord: DecodedRow {
  var uid: UUID
  var bool: Bool
  var int: Int
  var int8: Int8
  var int16: Int16
  var int32: Int32
  var int64: Int64
  var uint: WideInteger
  var uint8: UInt8
  var uint16: UInt16
  var uint32: UInt32
  var uint64: WideInteger
  var double: Double
  var float: Float
  var decimal: SortedDecimal
  /// Up to the first NUL, where GRDB ends a text.
  var string: String
  /// All bytes of the text.
  var bytes: Data
  var data: Data
  var date: Date
  var day: Date
  var url: URL
  var rank: DecodedRank
  var tier: DecodedTier
  var grants: DecodedGrants
  var setup: DecodedSetup
  var list: [String]
  var set: Set<Int>
  var counts: [String: Int]
  var free: [String: [Double]]
  var freeText: String
  var maybeBool: Bool?
  var maybeInt64: Int64?
  var maybeUInt64: WideInteger?
  var maybeDouble: Double?
  var maybeFloat: Float?
  var maybeDecimal: SortedDecimal?
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

  static func all(_ database: Database) throws -> [DecodedRecord] {
    try fetchAll(
      database, sql: "SELECT *, CAST(string AS BLOB) AS bytes, free AS freeText FROM DecodedValues ORDER BY _pk")
  }
}

/// An integer that may be larger than any of SQLite: then it is a text of 20 digits.
struct WideInteger: Codable, DatabaseValueConvertible {
  var value: UInt64

  var databaseValue: DatabaseValue { .null }

  static func fromDatabaseValue(_ stored: DatabaseValue) -> WideInteger? {
    switch stored.storage {
    case .int64(let number): UInt64(exactly: number).map(WideInteger.init)
    case .string(let text) where text.count == 20: UInt64(text).map(WideInteger.init)
    default: nil
    }
  }
}

/// A decimal behind the text that it is sorted by: `002=12.5`.
struct SortedDecimal: Codable, DatabaseValueConvertible {
  var value: Decimal

  var databaseValue: DatabaseValue { .null }

  static func fromDatabaseValue(_ stored: DatabaseValue) -> SortedDecimal? {
    guard case .string(let text) = stored.storage, let sign = text.firstIndex(of: "=") else { return nil }
    return Decimal(string: String(text[text.index(after: sign)...])).map(SortedDecimal.init)
  }
}

/// A row of `DecodedPage`: its uid, its link and its lists.
struct DecodedPageRecord: Codable, FetchableRecord {
  var pk: Int64
  var uid: String
  var book: Int
  var number: String
  var next: Int64?

  enum CodingKeys: String, CodingKey {
    case book, number, next
    case pk = "_pk"
    case uid = "_uid"
  }

  static func all(_ database: Database) throws -> [DecodedPageRecord] {
    try fetchAll(database, sql: "SELECT * FROM DecodedPage ORDER BY _pk")
  }

  func previous(_ database: Database) throws -> [String] {
    try String.fetchAll(database, sql: "SELECT number FROM DecodedPage WHERE next = ? ORDER BY _pk", arguments: [pk])
  }

  func words(_ database: Database) throws -> Set<String> {
    let sql = #"SELECT w.uid FROM "DecodedPage,words" AS p JOIN DecodedWord AS w ON w._pk = p.member WHERE p.owner = ?"#
    return try String.fetchSet(database, sql: sql, arguments: [pk])
  }

  func lines(_ database: Database) throws -> [Int] {
    // Without a position the row id says where a member stands.
    let sql = "SELECT uid FROM DecodedLine WHERE page = ? ORDER BY coalesce(_position_page, _pk << 24), _pk"
    return try Int.fetchAll(database, sql: sql, arguments: [pk])
  }
}
