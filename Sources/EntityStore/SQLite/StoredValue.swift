public import Foundation

/// A value as SQLite stores it (https://sqlite.org/datatype3.html).
public enum StoredValue: Sendable, Hashable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob(Data)

  public var isNull: Bool {
    if case .null = self { true } else { false }
  }

  /// Whether both are the same value of the same type, bit by bit: unlike `==`, NaN equals itself, and two spellings
  /// of one character differ, as they do in SQLite.
  package func isIdentical(to other: StoredValue) -> Bool {
    switch (self, other) {
    case (.null, .null): true
    case (.integer(let left), .integer(let right)): left == right
    case (.real(let left), .real(let right)): left.bitPattern == right.bitPattern
    case (.text(let left), .text(let right)): left.utf8.elementsEqual(right.utf8)
    case (.blob(let left), .blob(let right)): left == right
    default: false
    }
  }
}
