public import Foundation

/// A value as SQLite stores it (https://sqlite.org/datatype3.html).
///
/// Text is compared by its Unicode scalars, as everywhere in a store: "é" as one scalar and as `e` with a combining
/// accent are two texts.
public enum StoredValue: Sendable, Hashable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob(Data)

  @inlinable public var isNull: Bool {
    if case .null = self { true } else { false }
  }

  public static func == (left: StoredValue, right: StoredValue) -> Bool {
    if case .real(let left) = left, case .real(let right) = right { return left == right }
    return left.isIdentical(to: right)
  }

  public func hash(into hasher: inout Hasher) {
    switch self {
    case .null: hasher.combine(0)
    case .integer(let integer): hasher.combine(integer)
    case .real(let double): hasher.combine(double)
    case .text(let text):
      for byte in text.utf8 { hasher.combine(byte) }
    case .blob(let data): hasher.combine(data)
    }
  }

  /// Whether both are the same value of the same type, bit by bit. Unlike with `==`, NaN equals itself.
  @usableFromInline package func isIdentical(to other: StoredValue) -> Bool {
    switch (self, other) {
    case (.null, .null): true
    case (.integer(let left), .integer(let right)): left == right
    case (.real(let left), .real(let right)): left.bitPattern == right.bitPattern
    case (.text(let left), .text(let right)): left.isIdentical(to: right)
    case (.blob(let left), .blob(let right)): left == right
    default: false
    }
  }
}

extension String {
  /// Whether both have the same bytes: two spellings of one accented character are two texts.
  @usableFromInline func isIdentical(to other: String) -> Bool {
    guard utf8.count == other.utf8.count else { return false }
    let isSame = utf8.withContiguousStorageIfAvailable { own in
      other.utf8.withContiguousStorageIfAvailable { other in
        guard let own = own.baseAddress, let others = other.baseAddress else { return true }
        return memcmp(own, others, other.count) == 0
      }
    }
    return isSame.flatMap(\.self) ?? utf8.elementsEqual(other.utf8)
  }
}
