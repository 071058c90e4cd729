// Text without regard to case or accents. SQL has no such comparisons but of ASCII: both sides are folded by a function
// of the store, which its own connections have. No index serves them, each row is folded.

extension QueryColumn where V: TextAttribute {
  /// The text for comparisons in which A to Z are a to z; all other letters stay as they are, É is not é.
  ///
  /// `$0.name.ignoringASCIICase == "ada"`
  /// // lower(t0."name") IS ?
  public var ignoringASCIICase: QueryFoldedText { QueryFoldedText(sql, .asciiCase) }

  /// The text without regard to case, in all scripts: É is é, Σ is ς, and ß is ss. Two spellings of one character are
  /// equal, too: "é" and `e` with a combining accent.
  ///
  /// `$0.name.ignoringCase == "ÉMILE"`
  /// // _entity_fold(t0."name", 0) IS ?
  ///
  /// No locale takes part: I is i, and the Turkish ı and İ are letters of their own.
  public var ignoringCase: QueryFoldedText { QueryFoldedText(sql, .unicodeCase) }

  /// The text without regard to case and accents: É is e, Å is a. Points of Hebrew and Arabic are accents, too. Letters
  /// that are no others with an accent stay what they are: ø is not o.
  ///
  /// `$0.name.ignoringCaseAndAccents.contains("emile")`
  /// // instr(CAST(_entity_fold(t0."name", 1) AS BLOB), ?) > 0
  public var ignoringCaseAndAccents: QueryFoldedText { QueryFoldedText(sql, .unicodeCaseAndAccents) }
}

/// Text in a query that is compared, sorted and grouped without regard to case, or to accents. Selected, it is folded
/// text.
///
/// None of the comparisons but `!=` holds where there is no text.
public struct QueryFoldedText: QueryExpression {
  /// The folded text; `nil` where there is none.
  public typealias Value = String?

  /// The text as it is stored.
  private let text: SQLFragment
  private let fold: TextFold

  init(_ text: SQLFragment, _ fold: TextFold) {
    self.text = text
    self.fold = fold
  }

  var sql: SQLFragment { fold.sql(text) }
  private var match: TextMatch { TextMatch(sql: sql) }

  public var _expression: SQLExpression { SQLExpression(sql: sql) }
  public static func _value(_ stored: StoredValue) -> String?? { String?._value(stored) }
  public static var _neutral: String?? { .some(nil) }

  /// `$0.name.ignoringCase == "émile"`
  /// // _entity_fold(t0."name", 0) IS ?
  public static func == (text: Self, other: String) -> EntityPredicate {
    EntityPredicate("\(text.sql) IS \(text.value(other))")
  }

  /// `$0.name.ignoringCase != "émile"`, true for rows without a name
  /// // _entity_fold(t0."name", 0) IS NOT ?
  public static func != (text: Self, other: String) -> EntityPredicate {
    EntityPredicate("\(text.sql) IS NOT \(text.value(other))")
  }

  /// `$0.name.ignoringCase == $0.email.ignoringCase`, true where both are nil
  /// // _entity_fold(t0."name", 0) IS _entity_fold(t0."email", 0)
  ///
  /// Both are folded in the way of the left one.
  public static func == (text: Self, other: Self) -> EntityPredicate {
    EntityPredicate("\(text.sql) IS \(text.fold.sql(other.text))")
  }

  /// `$0.name.ignoringCase != $0.email.ignoringCase`
  /// // _entity_fold(t0."name", 0) IS NOT _entity_fold(t0."email", 0)
  ///
  /// Both are folded in the way of the left one.
  public static func != (text: Self, other: Self) -> EntityPredicate {
    EntityPredicate("\(text.sql) IS NOT \(text.fold.sql(other.text))")
  }

  /// `$0.city.ignoringCase.isIn(["oslo", "rome"])`, of any number
  /// // _entity_fold(t0."city", 0) IN (?, ?)
  public func isIn(_ texts: [String]) -> EntityPredicate { EntityPredicate(.isIn(sql, texts.map(value))) }

  /// `$0.name.ignoringCase.hasPrefix("É")`
  /// // (_entity_fold(t0."name", 0) >= ? AND _entity_fold(t0."name", 0) < ?)
  public func hasPrefix(_ prefix: String) -> EntityPredicate { match.hasPrefix(fold.folded(prefix)) }

  /// `$0.name.ignoringCase.hasSuffix("SON")`
  /// // substr(CAST(_entity_fold(t0."name", 0) AS BLOB), ?) = ?
  public func hasSuffix(_ suffix: String) -> EntityPredicate { match.hasSuffix(fold.folded(suffix)) }

  /// `$0.name.ignoringCase.contains("ad")`
  /// // instr(CAST(_entity_fold(t0."name", 0) AS BLOB), ?) > 0
  public func contains(_ text: String) -> EntityPredicate { match.contains(fold.folded(text)) }

  private func value(_ text: String) -> StoredValue { .text(fold.folded(text)) }
}

extension TextFold {
  fileprivate func sql(_ text: SQLFragment) -> SQLFragment {
    self == .asciiCase ? "lower(\(text))" : "_entity_fold(\(text), \(sql: "\(rawValue)"))"
  }
}
