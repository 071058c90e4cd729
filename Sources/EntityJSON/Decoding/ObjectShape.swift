import Foundation

/// Facts about the keys of an object. They also hold for every other object with the same keys in the same order.
final class ObjectShape {
  /// An object that has the shape.
  fileprivate let origin: Int
  fileprivate let count: Int
  /// Whether all keys differ: then the first match is the right one.
  let isDistinct: Bool
  /// The keys, where they differ from the text in the source.
  let names: [[UInt8]]?
  /// For an object with so many fields that a search one by one is slow. Such a shape belongs to one object only.
  let table: FieldTable?

  fileprivate init(_ object: Int, in document: JSONDocument, names: [[UInt8]]?, longest: Int = ObjectShapes.longest) {
    origin = object
    count = document.count(at: object)
    self.names = names
    table = count > longest ? FieldTable(object, in: document, names: names) : nil
    isDistinct = table == nil && (names.map { Set($0).count == $0.count } ?? document.hasDistinctKeys(object))
  }
}

/// The shapes that were met last. Most objects of a list have the same shape.
struct ObjectShapes {
  fileprivate static let longest = 64
  private static let limit = 4
  /// Where hardly two objects are alike, comparing the keys of each does not pay. After so many misses, an object with
  /// more than a few fields gets a table at once.
  private static let patience = 16
  private static let few = 12

  private var misses = 0
  private var recent: [ObjectShape] = []
  private var oldest = 0
  private var converted: [[UInt8]: [UInt8]] = [:]

  mutating func shape(
    of object: Int, in document: JSONDocument, _ strategy: JSONValueDecoder.KeyDecodingStrategy, _ path: CodingPathNode?
  ) -> ObjectShape {
    if case .custom(let convert) = strategy {
      // The name that the closure makes from a key may depend on the path.
      let path = path.keys
      let names = document.keys(of: object).map { key in
        Array(convert(path + [PlainCodingKey(stringValue: String(decoding: key, as: UTF8.self))]).stringValue.utf8)
      }
      return ObjectShape(object, in: document, names: names)
    }
    let count = document.count(at: object)
    for shape in recent where shape.count == count && document.haveEqualKeys(shape.origin, object) { return shape }
    var names: [[UInt8]]?
    if case .convertFromSnakeCase = strategy {
      names = document.keys(of: object).map { name(converting: $0) }
    } else if document.hasEscapedKey(object) {
      names = document.keys(of: object)
    }
    misses += 1
    let longest = misses > Self.patience ? Self.few : Self.longest
    let shape = ObjectShape(object, in: document, names: names, longest: longest)
    guard shape.table == nil else { return shape }
    if recent.count < Self.limit {
      recent.append(shape)
    } else {
      recent[oldest] = shape
      oldest = (oldest + 1) % Self.limit
    }
    return shape
  }

  private mutating func name(converting key: [UInt8]) -> [UInt8] {
    if let name = converted[key] { return name }
    let name = Array(SnakeCase.camelCase(String(decoding: key, as: UTF8.self)).utf8)
    // A document can have any number of keys.
    if converted.count < 1000 { converted[key] = name }
    return name
  }
}

/// A hash table of an object's fields; of equal keys, it has the last.
struct FieldTable {
  /// 1 + the ordinal of a field; 0 for an empty slot. At least half are empty.
  private var slots: [UInt32]
  private var fields: [Int] = []
  private let names: [[UInt8]]?

  fileprivate init(_ object: Int, in document: JSONDocument, names: [[UInt8]]?) {
    let count = document.count(at: object)
    slots = Array(repeating: 0, count: 1 << (Int.bitWidth - (count * 2).leadingZeroBitCount))
    fields.reserveCapacity(count)
    self.names = names
    document.forEachField(in: object) { key, field in
      let ordinal = fields.count
      fields.append(field)
      if let names {
        names[ordinal].lend(names[ordinal].indices) { insert($0, ordinal, in: document) }
      } else {
        insert(key, ordinal, in: document)
      }
    }
  }

  private mutating func insert(_ name: LentBytes, _ ordinal: Int, in document: JSONDocument) {
    slots[slot(of: name, in: document)] = UInt32(truncatingIfNeeded: ordinal + 1)
  }

  func field(named name: LentBytes, in document: JSONDocument) -> Int? {
    let ordinal = Int(slots[slot(of: name, in: document)])
    return ordinal == 0 ? nil : fields[ordinal - 1]
  }

  /// The slot of the name, or the slot where it would be. Hasher's seed differs in each process, so a document can't
  /// provoke collisions.
  private func slot(of name: LentBytes, in document: JSONDocument) -> Int {
    var hasher = Hasher()
    name.hash(into: &hasher)
    var slot = hasher.finalize() & (slots.count - 1)
    while slots[slot] != 0 {
      let ordinal = Int(slots[slot]) - 1
      if let names {
        if name.isEqual(to: names[ordinal]) { return slot }
      } else if document.isKey(at: fields[ordinal], equalTo: name) {
        return slot
      }
      slot = (slot + 1) & (slots.count - 1)
    }
    return slot
  }
}
