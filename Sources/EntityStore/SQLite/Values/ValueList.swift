import CSQLite
import Foundation

extension StoredValue {
  /// Any number of values as one parameter: the argument of the SQL function `_entity_values`, which returns them as
  /// rows.
  ///
  /// NULL is in no list.
  static func list(_ values: [StoredValue]) -> StoredValue {
    var list = Data(capacity: values.count * 16)
    func append(_ type: Int32, _ word: UInt64) {
      list.append(UInt8(truncatingIfNeeded: type))
      withUnsafeBytes(of: word) { list.append(contentsOf: $0) }
    }
    for value in values {
      switch value {
      case .null: break
      case .integer(let integer): append(ENTITY_ITEM_INTEGER, UInt64(bitPattern: integer))
      case .real(let double): append(ENTITY_ITEM_REAL, double.bitPattern)
      case .text(let text):
        append(ENTITY_ITEM_TEXT, UInt64(text.utf8.count))
        list.append(contentsOf: text.utf8)
      case .blob(let data):
        append(ENTITY_ITEM_BLOB, UInt64(data.count))
        list.append(data)
      }
    }
    return .blob(list)
  }
}
