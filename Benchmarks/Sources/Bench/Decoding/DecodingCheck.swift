import EntityClient
import Foundation
import GRDB

/// GRDB reads from a file of ours the values that the objects have: the check of decoding by a program that shares no code.
@MainActor struct DecodingCheck {
  private static let entities: [any ManagedEntity.Type] = [
    DecodedValues.self, DecodedPage.self, DecodedWord.self, DecodedLine.self, DecodedGuest.self,
    DecodedBadge.self,
  ]
  private let scratch: Scratch
  /// How many values were compared.
  private var count = 0

  /// - Returns: How many values were compared.
  static func run() throws -> Int {
    var check = DecodingCheck(scratch: try Scratch())
    try check.write()
    try check.compare()
    return check.count
  }

  // MARK: Writing

  private func write() throws {
    let store = try EntityStore(.file(scratch.file), entities: Self.entities)
    let main = store.main
    // Neutral values, and none. An empty text is no URL to Foundation.
    let neutral = try main.insert(DecodedValues.self)
    neutral.uid = UUID()
    neutral.url = URL(string: "/") ?? neutral.url
    Self.fillSmall(try main.insert(DecodedValues.self))
    Self.fillLarge(try main.insert(DecodedValues.self))
    let pages = try (0..<3).map { number in
      let page = try main.insert(DecodedPage.self)
      (page.book, page.number) = (7 - number, "\(number)\",\"é")
      return page
    }
    (pages[0].next, pages[1].next) = (pages[2], pages[2])
    let words = try ["a", "b", "c"].map { uid in
      let word = try main.insert(DecodedWord.self)
      word.uid = uid
      return word
    }
    let lines = try (1...4).map { uid in
      let line = try main.insert(DecodedLine.self)
      line.uid = uid
      return line
    }
    pages[0].words = [words[2], words[0]]
    pages[1].words = words
    pages[0].lines = [lines[3], lines[0], lines[2]]
    pages[2].lines = [lines[1]]
    try Self.fillGuests(main)
    try main.save()
  }

  private static func fillSmall(_ values: DecodedValues) {
    values.uid = UUID()
    (values.int, values.int8, values.int16) = (.min, .min, .min)
    (values.int32, values.int64) = (.min, .min)
    (values.double, values.float) = (-0.0, -0.0)
    values.decimal = Decimal(string: "-0.00000000000000000000000000000000000001") ?? 0
    values.string = "a\u{0}b 👩🏽‍🚀 e\u{301}\u{FFFF}"
    values.data = Data([0])
    values.date = Date(timeIntervalSince1970: -62_167_219_200.5)
    values.url = URL(string: "a%20b?c=é#d") ?? values.url
    values.maybeBool = false
    (values.maybeInt64, values.maybeUInt64) = (-1, 0)
    (values.maybeDouble, values.maybeFloat) = (-.infinity, .leastNonzeroMagnitude)
    (values.maybeDecimal, values.maybeString) = (0, "")
    (values.maybeData, values.maybeDate) = (Data(), Date(timeIntervalSince1970: 0))
    (values.maybeUUID, values.maybeURL) = (UUID(), URL(string: "x"))
    (values.maybeRank, values.maybeTier, values.maybeGrants) = (.member, .low, [])
    (values.maybeSetup, values.maybeList) = (DecodedSetup(), [])
  }

  private static func fillLarge(_ values: DecodedValues) {
    values.uid = UUID()
    values.bool = true
    (values.int, values.int8, values.int16) = (.max, .max, .max)
    (values.int32, values.int64) = (.max, .max)
    (values.uint, values.uint8, values.uint16) = (.max, .max, .max)
    (values.uint32, values.uint64) = (.max, .max)
    (values.double, values.float) = (.infinity, 0.1)
    values.decimal = Decimal(string: "12345678901234567890.123456789012345678") ?? 0
    values.string = String(repeating: "äöü€😀", count: 5_000)
    values.data = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0) })
    values.date = Date(timeIntervalSince1970: 253_402_300_799.25)
    values.day = Date(timeIntervalSince1970: 1_709_164_800)
    values.url = URL(string: "https://example.com/a%20b?c=d#e") ?? values.url
    (values.rank, values.tier, values.grants) = (.chief, .high, DecodedGrants(rawValue: 5))
    let since = Date(timeIntervalSince1970: 1_700_000_000.25)
    values.setup = DecodedSetup(isDark: true, names: ["\"", "é\n"], since: since, blob: Data([0, 255]))
    (values.list, values.set, values.counts) = (["b", "", "a\u{0}"], [3, -1], ["é": 1, "": .max])
    values.free = ["b": [1.5, -2], "a": []]
    values.maybeBool = true
    (values.maybeInt64, values.maybeUInt64) = (.min, UInt64(Int64.max) + 1)
    (values.maybeDouble, values.maybeFloat) = (.greatestFiniteMagnitude, .infinity)
    (values.maybeDecimal, values.maybeString) = (Decimal(string: "1e100"), "NULL")
    (values.maybeData, values.maybeDate) = (Data("text".utf8), since)
    (values.maybeUUID, values.maybeURL) = (UUID(), URL(string: "file:///"))
    (values.maybeRank, values.maybeTier, values.maybeGrants) = (.chief, .high, DecodedGrants(rawValue: -1))
    (values.maybeSetup, values.maybeList) = (DecodedSetup(since: since), ["x"])
  }

  // MARK: Comparing

  private mutating func compare() throws {
    // Objects that were read from the file.
    let store = try EntityStore(.file(scratch.file), entities: Self.entities)
    let (values, pages) = (try store.main.fetch(DecodedValues.all), try store.main.fetch(DecodedPage.all))
    let queue = try DatabaseQueue(path: scratch.file.path)
    let records = try queue.read { try DecodedRecord.all($0) }
    try same("the rows", values.count, records.count)
    for (object, record) in zip(values, records) {
      try compareNumbers(object, record)
      try compareOthers(object, record)
      try compareOptionals(object, record)
    }
    let found = try queue.read { database in
      try DecodedPageRecord.all(database).map { page in
        (page, try page.previous(database), try page.words(database), try page.lines(database))
      }
    }
    try same("the pages", pages.count, found.count)
    for (object, (page, previous, words, lines)) in zip(pages, found) {
      try same("book", object.book, page.book)
      try same("number", object.number, page.number)
      let uid = try JSONSerialization.jsonObject(with: Data(page.uid.utf8)) as? [Any]
      try same("_uid", ["\(object.book)", object.number], uid?.map { "\($0)" })
      try same("next", object.next?.number, found.first { $0.0.pk == page.next }?.0.number)
      try same("previous", object.previous.map(\.number), previous)
      try same("words", Set(object.words.map(\.uid)), words)
      try same("lines", object.lines.map(\.uid), lines)
    }
    try compareGuests(store.main, queue)
    withExtendedLifetime(store) {}
  }

  mutating func same<V: Equatable>(_ name: String, _ ours: V, _ theirs: V) throws {
    count += 1
    guard ours == theirs else {
      throw ContestError(description: "GRDB reads another '\(name)' than the objects have: \(theirs), not \(ours)")
    }
  }

  private mutating func compareNumbers(_ object: DecodedValues, _ record: DecodedRecord) throws {
    try same("bool", object.bool, record.bool)
    try same("int", object.int, record.int)
    try same("int8", object.int8, record.int8)
    try same("int16", object.int16, record.int16)
    try same("int32", object.int32, record.int32)
    try same("int64", object.int64, record.int64)
    try same("uint", UInt64(object.uint), record.uint.value)
    try same("uint8", object.uint8, record.uint8)
    try same("uint16", object.uint16, record.uint16)
    try same("uint32", object.uint32, record.uint32)
    try same("uint64", object.uint64, record.uint64.value)
    // -0 is 0 in both.
    try same("double", object.double.bitPattern, record.double.bitPattern)
    try same("float", object.float.bitPattern, record.float.bitPattern)
    try same("decimal", object.decimal, record.decimal.value)
  }

  private mutating func compareOthers(_ object: DecodedValues, _ record: DecodedRecord) throws {
    try same("uid", object.uid, record.uid)
    try same("string", Data(object.string.utf8), record.bytes)
    try same("string up to a NUL", Data(object.string.utf8.prefix { $0 != 0 }), Data(record.string.utf8))
    try same("data", object.data, record.data)
    try same("date", object.date, record.date)
    try same("day", object.day, record.day)
    try same("url", object.url, record.url)
    try same("rank", object.rank, record.rank)
    try same("tier", object.tier, record.tier)
    try same("grants", object.grants, record.grants)
    try same("setup", object.setup, record.setup)
    try same("list", object.list, record.list)
    try same("set", object.set, record.set)
    try same("counts", object.counts, record.counts)
    try same("free", object.free, try JSONValue(parsing: Data(record.freeText.utf8)))
    try same("free, decoded", object.free == [:] ? [:] : ["a": [], "b": [1.5, -2]], record.free)
  }

  private mutating func compareOptionals(_ object: DecodedValues, _ record: DecodedRecord) throws {
    try same("maybeBool", object.maybeBool, record.maybeBool)
    try same("maybeInt64", object.maybeInt64, record.maybeInt64)
    try same("maybeUInt64", object.maybeUInt64, record.maybeUInt64?.value)
    try same("maybeDouble", object.maybeDouble, record.maybeDouble)
    try same("maybeFloat", object.maybeFloat, record.maybeFloat)
    try same("maybeDecimal", object.maybeDecimal, record.maybeDecimal?.value)
    try same("maybeString", object.maybeString, record.maybeString)
    try same("maybeData", object.maybeData, record.maybeData)
    try same("maybeDate", object.maybeDate, record.maybeDate)
    try same("maybeUUID", object.maybeUUID, record.maybeUUID)
    try same("maybeURL", object.maybeURL, record.maybeURL)
    try same("maybeRank", object.maybeRank, record.maybeRank)
    try same("maybeTier", object.maybeTier, record.maybeTier)
    try same("maybeGrants", object.maybeGrants, record.maybeGrants)
    try same("maybeSetup", object.maybeSetup, record.maybeSetup)
    try same("maybeList", object.maybeList, record.maybeList)
  }
}
