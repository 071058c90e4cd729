import EntityJSON
import Foundation

// The lines of an archive, each a text of JSON, and each ended by a line feed:
//
// {"archive":"EntityClient","format":1,"firstRow":1,"lastRow":65536,"names":{"Post":null,"Post,tags":null,"User":null}}
// {"rows":"User","columns":["uid","email"]}                 the rows of an entity, or of a many-to-many relationship
// [12,"email",0,7,"a@example.com"]                          row id, edit marks, whether it is a placeholder, the columns
// {"rows":"Post,tags","columns":["owner","member"]}
// {"removed":"Post,tags"}                                   pairs that were taken out here: marks, owner, member
// {"edits":true}                                            entity, row id, property, base, whether there is one, time,
//                                                           the places of the last commit and of the first one
// {"deletions":true}                                        entity, row id, uid, time, the row id that took it along,
//                                                           the place of the commit, the address
// {"outbox":true}                                           entity, row id, uid, kind, state, name, request, body, sent,
//                                                           key, attempts, next, time, the place of the last commit with
//                                                           an edit in the request, status, problem, answer, kept
// {"end":14,"checksum":"89abcdef"}                          how many lines there are between, and the CRC-32 of all before
//
// `names` has all entities and many-to-many relationships, also those without rows. Where names were exchanged in a
// circle, each has its name from before. For columns, `"renamed":{"a":"b","b":"a"}` says the same.
//
// The place of a commit is 0 for the last of all these commits, and -1 for the one before it.
//
// Row ids are those of the store. A link is the row id of its target. A restore gives each row another row id, in the
// same order.

/// The first line.
struct ArchiveHeader: Sendable {
  static let format: Int64 = 1
  /// No row id is smaller. An archive without it begins at 1.
  let firstRow: Int64
  /// No row id is larger.
  let lastRow: Int64
  /// All entities and many-to-many relationships, each with its name from before names were exchanged in a circle; `nil`
  /// where the archive does not have them.
  let names: [String: String?]?

  var line: JSONValue {
    [
      "archive": "EntityClient", "format": JSONValue(Self.format), "firstRow": JSONValue(firstRow),
      "lastRow": JSONValue(lastRow), "names": names.map { JSONValue(archivedNames: $0) } ?? nil,
    ]
  }

  init(firstRow: Int64 = 1, lastRow: Int64, names: [String: String?]? = nil) {
    self.firstRow = firstRow
    self.lastRow = lastRow
    self.names = names
  }

  /// The number of row ids that a restore needs. It does not grow with the number of earlier restores of the store.
  var count: Int64 { lastRow - firstRow + 1 }

  /// - Throws: ``StoreError`` of kind `notAnArchive`, `newerArchive` or `damagedArchive`.
  init(_ line: Data?) throws {
    guard let line, let header = try? JSONObject(parsing: line), header["archive"]?.string == "EntityClient",
      let format = header["format"]?.int64
    else {
      throw StoreError(.notAnArchive, "This is no archive of a store.")
    }
    guard format <= Self.format else {
      throw StoreError(
        .newerArchive,
        "The archive has format \(format), and this version of the package reads up to \(Self.format). Update it.")
    }
    guard format >= 1, let lastRow = header["lastRow"]?.int64, lastRow >= 0 else {
      throw StoreError.damagedArchive("its first line can't be read")
    }
    guard lastRow < ListOrder.rows else { throw StoreError.damagedArchive("it names row ids that no store gives") }
    guard let firstRow = header["firstRow"].map({ $0.int64 }) ?? 1, (1...lastRow + 1).contains(firstRow) else {
      throw StoreError.damagedArchive("its first line can't be read")
    }
    let names = try header["names"].flatMap { try $0.isNull ? nil : $0.archivedNames }
    self.init(firstRow: firstRow, lastRow: lastRow, names: names)
  }
}

/// The lines that begin a part.
enum ArchiveSection {
  /// `renamed` has the columns whose names were exchanged in a circle, each with its former name.
  case rows(String, columns: [String], renamed: [String: String])
  case removed(String)
  case edits
  case deletions
  case outbox

  var line: JSONValue {
    switch self {
    case .rows(let name, let columns, let renamed):
      renamed.isEmpty
        ? ["rows": JSONValue(name), "columns": JSONValue(columns.map { JSONValue($0) })]
        : [
          "rows": JSONValue(name), "columns": JSONValue(columns.map { JSONValue($0) }),
          "renamed": JSONValue(archivedNames: renamed),
        ]
    case .removed(let name): ["removed": JSONValue(name)]
    case .edits: ["edits": true]
    case .deletions: ["deletions": true]
    case .outbox: ["outbox": true]
    }
  }

  init(_ object: JSONObject) throws {
    if let name = object["rows"]?.string, let columns = object["columns"]?.array {
      let renamed = try object["renamed"].map { try $0.archivedNames } ?? [:]
      self = .rows(name, columns: columns.compactMap(\.string), renamed: renamed.compactMapValues(\.self))
    } else if let name = object["removed"]?.string {
      self = .removed(name)
    } else if object["edits"]?.bool == true {
      self = .edits
    } else if object["deletions"]?.bool == true {
      self = .deletions
    } else if object["outbox"]?.bool == true {
      self = .outbox
    } else {
      throw StoreError.damagedArchive("a line begins a part that is not known")
    }
  }
}

extension JSONValue {
  fileprivate init(archivedNames names: [String: String?]) {
    self = JSONObject(names.mapValues { $0.map { JSONValue($0) } ?? nil }).value
  }

  /// Names, each with its former name or null.
  fileprivate var archivedNames: [String: String?] {
    get throws {
      guard let object else { throw StoreError.damagedArchive("its names can't be read") }
      var names: [String: String?] = [:]
      for (name, former) in object {
        guard former.isNull || former.string != nil else { throw StoreError.damagedArchive("its names can't be read") }
        names[name] = .some(former.string)
      }
      return names
    }
  }
}

enum ArchiveEnd {
  /// The last line: the number of lines between the first and the last one, and the checksum of all lines before it.
  static func line(_ lines: Int, _ checksum: UInt32) -> [UInt8] {
    let digits = String(checksum, radix: 16)
    let text = String(repeating: "0", count: 8 - digits.count) + digits
    return Array("{\"end\":\(lines),\"checksum\":\"\(text)\"}\n".utf8)
  }

  static func begins(_ line: Data) -> Bool { line.starts(with: Array("{\"end\":".utf8)) }
}

/// CRC-32 as in IEEE 802.3. It detects every error within 32 successive bits.
struct ArchiveChecksum {
  private static let table: [UInt32] = (0..<256).map { byte in
    (0..<8).reduce(UInt32(byte)) { sum, _ in sum & 1 == 0 ? sum >> 1 : 0xEDB8_8320 ^ (sum >> 1) }
  }

  private var state: UInt32 = ~0

  var value: UInt32 { ~state }

  mutating func add(_ bytes: some Sequence<UInt8>) {
    var sum = state
    Self.table.withUnsafeBufferPointer { table in
      for byte in bytes { sum = table[Int(UInt8(truncatingIfNeeded: sum) ^ byte)] ^ (sum >> 8) }
    }
    state = sum
  }
}

extension StoreError {
  static func damagedArchive(_ reason: String) -> StoreError {
    StoreError(.damagedArchive, "The archive is damaged: \(reason). Nothing of it was taken in.")
  }
}

// MARK: Values

extension JSONWriter {
  /// A stored value. An integer has neither point nor exponent, and a real number has one of them.
  mutating func archived(_ value: StoredValue) {
    switch value {
    case .null: null()
    case .integer(let integer): self.integer(integer)
    case .real(let double) where double.isFinite: literal(double.description)
    case .real(let double):
      beginObject()
      key("real")
      string(double.isNaN ? "nan" : double < 0 ? "-inf" : "inf")
      endObject()
    case .text(let text): string(text)
    case .blob(let data):
      beginObject()
      key("base64")
      string(data.base64EncodedString())
      endObject()
    }
  }
}

extension StoredValue {
  /// The stored value of a value in an archive; `nil` for a value that no archive has.
  init?(archived value: JSONValue) {
    switch value.kind {
    case .null: self = .null
    case .string:
      guard let text = value.string else { return nil }
      self = .text(text)
    case .number:
      guard let lexeme = value.lexeme else { return nil }
      if lexeme.contains(where: { ".eE".contains($0) }) {
        guard let double = value.double else { return nil }
        self = .real(double)
      } else {
        guard let integer = Int64(lexeme) else { return nil }
        self = .integer(integer)
      }
    case .object:
      if let text = value["base64"]?.string, let data = Data(base64Encoded: text) {
        self = .blob(data)
      } else if let text = value["real"]?.string, let double = Double(text), !double.isFinite {
        self = .real(double)
      } else {
        return nil
      }
    case .bool, .array: return nil
    }
  }
}
