import Foundation

/// Text, or text that may be nil.
public protocol TextAttribute: ScalarValue {}

extension String: TextAttribute {}
extension Optional: TextAttribute where Wrapped == String {}

// Text as SQLite compares it: byte by byte, with no character that means another. None of it holds where there is no
// text.

extension QueryColumn where V: TextAttribute {
  /// `$0.name.hasPrefix("A")`, which finds rows by an index of the column
  /// // (t0."name" >= ? AND t0."name" < ?)
  public func hasPrefix(_ prefix: String) -> EntityPredicate { TextMatch(sql: sql).hasPrefix(prefix) }

  /// `$0.name.hasSuffix("son")`
  /// // substr(CAST(t0."name" AS BLOB), ?) = ?
  public func hasSuffix(_ suffix: String) -> EntityPredicate { TextMatch(sql: sql).hasSuffix(suffix) }

  /// `$0.name.contains("100%")`
  /// // instr(CAST(t0."name" AS BLOB), ?) > 0
  public func contains(_ text: String) -> EntityPredicate { TextMatch(sql: sql).contains(text) }
}

extension QueryColumn where V: TextAttribute {
  /// `$0.name.isEmpty`; a row without a text is not found
  /// // t0."name" IS ?
  public var isEmpty: EntityPredicate { EntityPredicate(sql, is: .text("")) }

  // Never run: a use of an unavailable declaration does not compile.
  @available(
    *, unavailable,
    message: "SQLite does not count characters as Swift does; its own count is SQL(\"length(\\($0.name)) > 5\")"
  )
  public var count: QueryColumn<Int> { QueryColumn<Int>(sql: "0") }
}

struct TextMatch: Sendable {
  let sql: SQLFragment

  /// A range rather than LIKE: an index serves it, and nothing in the prefix is a pattern.
  func hasPrefix(_ prefix: String) -> EntityPredicate {
    if prefix.isEmpty { return EntityPredicate("\(sql) IS NOT NULL") }
    guard let end = prefix.afterAllWithPrefix else { return EntityPredicate("\(sql) >= \(.text(prefix))") }
    return EntityPredicate("(\(sql) >= \(.text(prefix)) AND \(sql) < \(.text(end)))")
  }

  /// Of bytes: SQLite's functions of text count characters, and end at a NUL.
  func hasSuffix(_ suffix: String) -> EntityPredicate {
    if suffix.isEmpty { return EntityPredicate("\(sql) IS NOT NULL") }
    let bytes = Data(suffix.utf8)
    return EntityPredicate("substr(CAST(\(sql) AS BLOB), \(.integer(Int64(-bytes.count)))) = \(.blob(bytes))")
  }

  func contains(_ text: String) -> EntityPredicate {
    if text.isEmpty { return EntityPredicate("\(sql) IS NOT NULL") }
    return EntityPredicate("instr(CAST(\(sql) AS BLOB), \(.blob(Data(text.utf8)))) > 0")
  }
}

extension String {
  /// The smallest text that comes after all with this prefix, in the order of UTF-8, which is that of Unicode scalars;
  /// `nil` where nothing does.
  fileprivate var afterAllWithPrefix: String? {
    var scalars = Array(unicodeScalars)
    while let last = scalars.popLast() {
      // The next scalar; surrogates are none.
      let next = last.value == 0xD7FF ? 0xE000 : last.value + 1
      guard let scalar = Unicode.Scalar(next) else { continue }
      scalars.append(scalar)
      var text = String.UnicodeScalarView()
      text.append(contentsOf: scalars)
      return String(text)
    }
    return nil
  }
}
