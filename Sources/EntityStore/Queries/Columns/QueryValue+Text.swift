import Foundation

// Text as SQLite compares it: byte by byte, and no character has a special meaning. No comparison holds where there is
// no text.

extension QueryValue where V._Unwrapped == String {
  /// `$0.name.hasPrefix("A")`, which finds rows by an index of the column
  /// // (t0."name" >= ? AND t0."name" < ?)
  ///
  /// `$0.name.ignoringCase.hasPrefix("É")`
  /// // (_entity_fold(t0."name", 0) >= ? AND _entity_fold(t0."name", 0) < ?)
  public func hasPrefix(_ prefix: String) -> EntityPredicate {
    let prefix = folded(prefix)
    if prefix.isEmpty { return EntityPredicate("\(sql) IS NOT NULL") }
    // A range, and not LIKE: an index serves it, and no character of the prefix is a pattern.
    guard let end = prefix.afterAllWithPrefix else { return EntityPredicate("\(sql) >= \(.text(prefix))") }
    return EntityPredicate("(\(sql) >= \(.text(prefix)) AND \(sql) < \(.text(end)))")
  }

  /// `$0.name.hasSuffix("son")`
  /// // substr(CAST(t0."name" AS BLOB), ?) = ?
  ///
  /// `$0.name.ignoringCase.hasSuffix("SON")`
  /// // substr(CAST(_entity_fold(t0."name", 0) AS BLOB), ?) = ?
  public func hasSuffix(_ suffix: String) -> EntityPredicate {
    if suffix.isEmpty { return EntityPredicate("\(sql) IS NOT NULL") }
    // Bytes are compared: SQLite's functions of text count characters, and end at a NUL.
    let bytes = Data(folded(suffix).utf8)
    return EntityPredicate("substr(CAST(\(sql) AS BLOB), \(.integer(Int64(-bytes.count)))) = \(.blob(bytes))")
  }

  /// `$0.name.contains("100%")`
  /// // instr(CAST(t0."name" AS BLOB), ?) > 0
  ///
  /// `$0.name.ignoringCase.contains("ad")`
  /// // instr(CAST(_entity_fold(t0."name", 0) AS BLOB), ?) > 0
  public func contains(_ text: String) -> EntityPredicate {
    if text.isEmpty { return EntityPredicate("\(sql) IS NOT NULL") }
    return EntityPredicate("instr(CAST(\(sql) AS BLOB), \(.blob(Data(folded(text).utf8)))) > 0")
  }

  /// `$0.name.isEmpty`; a row without a text is not found
  /// // t0."name" IS ?
  public var isEmpty: EntityPredicate { EntityPredicate(sql, is: .text("")) }

  private func folded(_ text: String) -> String { fold?.folded(text) ?? text }
}

// Text without regard to case or accents. SQL has such comparisons for ASCII alone. So a function of the store, which
// its own connections have, folds both sides. No index serves these comparisons, and each row is folded. Such a text is
// sorted and grouped as it is compared, and a query for values returns the folded text. No comparison except `!=` holds
// where there is no text.

extension QueryValue where V._Unwrapped == String {
  /// The text for comparisons in which A to Z are a to z; all other letters stay as they are, É is not é.
  ///
  /// `$0.name.ignoringASCIICase == "ada"`
  /// // lower(t0."name") IS ?
  public var ignoringASCIICase: QueryValue<String?> { QueryValue<String?>(self, .asciiCase) }

  /// The text without regard to case, in all scripts: É is é, Σ is ς, and ß is ss. Two spellings of one character are
  /// equal, too: "é" and `e` with a combining accent.
  ///
  /// `$0.name.ignoringCase == "ÉMILE"`
  /// // _entity_fold(t0."name", 0) IS ?
  ///
  /// The locale has no effect: I is i, and the Turkish ı and İ are letters of their own.
  public var ignoringCase: QueryValue<String?> { QueryValue<String?>(self, .unicodeCase) }

  /// The text without regard to case and accents: É is e, Å is a. Points of Hebrew and Arabic are accents, too. A
  /// letter stays as it is where it is not another letter with an accent: ø is not o.
  ///
  /// `$0.name.ignoringCaseAndAccents.contains("emile")`
  /// // instr(CAST(_entity_fold(t0."name", 1) AS BLOB), ?) > 0
  public var ignoringCaseAndAccents: QueryValue<String?> { QueryValue<String?>(self, .unicodeCaseAndAccents) }
}

extension String {
  /// The smallest text that comes after all texts with this prefix, in the order of UTF-8, which is also the order of
  /// Unicode scalars; `nil` where there is none.
  fileprivate var afterAllWithPrefix: String? {
    var scalars = Array(unicodeScalars)
    while let last = scalars.popLast() {
      // The next scalar; surrogates are not scalars.
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
