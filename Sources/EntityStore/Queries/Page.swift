import Foundation

/// A part of a query's result, and the place where the next part begins.
///
/// It is not a page of a server: `pages` of a request returns those.
public struct Page<E: ManagedEntity> {
  /// The objects, in the order of the query.
  public let objects: [E]
  /// The place after the last object; `nil` where there is no further object.
  public let next: PageCursor<E>?
}

/// A place in the order of a query: after an object with certain values in the sort keys.
///
/// An app may keep the value, also across launches. It has the values of the sort keys: treat it as private if they are
/// private. The object itself may change or be deleted meanwhile.
public struct PageCursor<E: ManagedEntity>: Hashable, Sendable {
  /// The values of the sort keys.
  let keys: [StoredValue]
  /// The row id of the object.
  let row: Int64
  /// Identifies the order that the place belongs to.
  let order: UInt64
}

/// An app may keep a place between launches.
extension PageCursor: Codable {
  private enum CodingKeys: String, CodingKey { case keys, row, order }

  /// A stored value, with one member set.
  private struct Value: Codable {
    var integer: Int64?
    /// The bits of the number, because JSON has no infinities.
    var real: UInt64?
    var text: String?
    var blob: Data?

    init(_ stored: StoredValue) {
      switch stored {
      case .null: break
      case .integer(let value): integer = value
      case .real(let value): real = value.bitPattern
      case .text(let value): text = value
      case .blob(let value): blob = value
      }
    }

    var stored: StoredValue {
      if let integer { return .integer(integer) }
      if let real { return .real(Double(bitPattern: real)) }
      if let text { return .text(text) }
      return blob.map { .blob($0) } ?? .null
    }
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    keys = try container.decode([Value].self, forKey: .keys).map(\.stored)
    row = try container.decode(Int64.self, forKey: .row)
    order = try container.decode(UInt64.self, forKey: .order)
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(keys.map { Value($0) }, forKey: .keys)
    try container.encode(row, forKey: .row)
    try container.encode(order, forKey: .order)
  }
}
