import CSQLite
import Foundation

// Functions and collations of text. Each connection of a store has them, and only queries use them: no other program
// could write an index or a column of the file that needs one of them.

extension Connection {
  /// Adds `_entity_fold(text, fold)`, and the collations of all locales as soon as a statement names them.
  func addTextFunctions() throws {
    // It can only be used directly: no trigger, view or index of a file can use it
    // (https://sqlite.org/c3ref/c_deterministic.html).
    let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY
    let code = sqlite3_create_function_v2(
      handle, "_entity_fold", 2, flags, nil, { foldText($0, $2) }, nil, nil, nil)
    guard code == SQLITE_OK else { throw error(code, sql: "") }
    let collations = sqlite3_collation_needed(handle, nil) { _, handle, _, name in
      guard let handle, let name else { return }
      TextCollation.add(named: String(cString: name), to: handle)
    }
    guard collations == SQLITE_OK else { throw error(collations, sql: "") }
  }
}

/// The result of `_entity_fold`: a folded text; any other value as it is.
private func foldText(_ context: OpaquePointer?, _ values: UnsafeMutablePointer<OpaquePointer?>?) {
  guard let values, let value = values[0], sqlite3_value_type(value) == SQLITE_TEXT,
    let fold = TextFold(rawValue: sqlite3_value_int(values[1])), let text = sqlite3_value_text(value)
  else {
    // The value is NULL, as hardly any column has another type.
    if let value = values?[0] { sqlite3_result_value(context, value) }
    return
  }
  let bytes = UnsafeBufferPointer(start: text, count: Int(sqlite3_value_bytes(value)))
  // Most texts need no change, and are not copied then.
  if bytes.allSatisfy({ $0 < 0x80 && !(0x41...0x5A).contains($0) }) { return sqlite3_result_value(context, value) }
  var folded = fold.folded(String(decoding: bytes, as: UTF8.self))
  folded.withUTF8 { folded in
    // An empty buffer may have no address, and SQLite reads a null pointer as NULL. Its destructor -1 says that SQLite is to
    // copy the bytes (https://sqlite.org/c3ref/c_static.html).
    let start = folded.baseAddress ?? text
    start.withMemoryRebound(to: CChar.self, capacity: folded.count) {
      sqlite3_result_text64(
        context, $0, UInt64(folded.count), unsafeBitCast(-1, to: sqlite3_destructor_type.self), UInt8(SQLITE_UTF8))
    }
  }
}

/// The order of texts in a locale.
final class TextCollation {
  private static let prefix = "_entity_"
  private let locale: Locale

  private init(_ locale: Locale) { self.locale = locale }

  /// The name of the collation of a locale.
  static func name(_ locale: Locale) -> String {
    // The identifiers of locales have no other characters (https://www.unicode.org/reports/tr35/#Identifiers).
    let identifier = locale.identifier.unicodeScalars.filter {
      $0.isASCII && ($0.properties.isAlphabetic || ("0"..."9").contains($0) || "_-@=;".unicodeScalars.contains($0))
    }
    return prefix + String(String.UnicodeScalarView(identifier))
  }

  fileprivate static func add(named name: String, to handle: OpaquePointer) {
    guard name.hasPrefix(prefix) else { return }
    let collation = Unmanaged.passRetained(TextCollation(Locale(identifier: String(name.dropFirst(prefix.count)))))
    let code = sqlite3_create_collation_v2(
      handle, name, SQLITE_UTF8, collation.toOpaque(),
      { collation, leftCount, left, rightCount, right in
        guard let collation else { return 0 }
        return Unmanaged<TextCollation>.fromOpaque(collation).takeUnretainedValue()
          .compare(
            UnsafeRawBufferPointer(start: left, count: Int(leftCount)),
            UnsafeRawBufferPointer(start: right, count: Int(rightCount)))
      },
      { collation in
        if let collation { Unmanaged<TextCollation>.fromOpaque(collation).release() }
      })
    // SQLite releases the collation when it was added. Otherwise the statement fails, because it has no such collation.
    if code != SQLITE_OK { collation.release() }
  }

  private func compare(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int32 {
    if left.elementsEqual(right) { return 0 }
    return Int32(
      Self.compare(String(decoding: left, as: UTF8.self), String(decoding: right, as: UTF8.self), locale).rawValue)
  }

  /// The two texts get different first characters that count for nothing
  /// (https://www.unicode.org/reports/tr10/#Ignorables_Defn). Without them, Foundation on Linux skips an equal
  /// beginning, and splits characters from their marks: its order then has cycles.
  static func compare(_ left: String, _ right: String, _ locale: Locale) -> ComparisonResult {
    ("\u{2060}" + left).compare("\u{200D}" + right, options: [], range: nil, locale: locale)
  }
}
