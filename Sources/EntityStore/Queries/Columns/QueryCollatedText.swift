public import Foundation

extension QueryValue where V._Unwrapped == String {
  /// The text in the order of a language, for sort keys and comparisons.
  ///
  /// `$0.name.collated(by: Locale(identifier: "nb")) >= "Å"`
  /// // t0."name" COLLATE "_entity_nb" >= ?
  ///
  /// - Parameter locale: The locale, which may name a collation: `de@collation=phonebook`.
  public func collated(by locale: Locale) -> QueryCollatedText {
    QueryCollatedText(sql: "\(sql) COLLATE \(name: TextCollation.name(locale))")
  }
}

/// Text in a query in the order of a language: in English Å is an A, in Norwegian it comes after Z.
///
/// The order is Foundation's, and its versions may differ a little. Nothing of it is in the file, so no index serves
/// it. SQLite calls Foundation for every comparison of two texts. A comparison never holds where there is no text.
public struct QueryCollatedText: QueryOrdered {
  let sql: SQLFragment

  public func _is(_ comparison: String, _ bound: String) -> EntityPredicate {
    EntityPredicate("\(sql) \(sql: comparison) \(.text(bound))")
  }
}
