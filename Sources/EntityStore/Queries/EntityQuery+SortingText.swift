public import Foundation

extension EntityQuery {
  /// Adds a sort key: a text in the order of a language.
  ///
  /// `User.all.sorted(by: \.name, locale: Locale(identifier: "nb"))`
  /// // … ORDER BY t0."name" COLLATE "_entity_nb", t0._pk
  ///
  /// - Parameters:
  ///   - column: The property.
  ///   - locale: The locale, which may name a collation: `de@collation=phonebook`.
  ///   - order: Which texts come first.
  ///   - nils: Where objects without a text come; `nil` is as ``Order`` says.
  public func sorted<V: TextAttribute>(
    by column: KeyPath<E.Columns, Column<E, V>>, locale: Locale, _ order: Order = .ascending, nils: NilOrder? = nil
  ) -> Self {
    sorted(order, nils: nils) { $0[dynamicMember: column].collated(by: locale) }
  }

  /// Adds a sort key: a text in the order of a language.
  ///
  /// `User.all.sorted { $0.address.city.collated(by: Locale(identifier: "nb")) }`
  /// // … ORDER BY (SELECT p."city" FROM "Address" AS p WHERE p._pk = t0."address") COLLATE "_entity_nb", t0._pk
  ///
  /// - Parameters:
  ///   - order: Which texts come first.
  ///   - nils: Where objects without a text come; `nil` is as ``Order`` says.
  ///   - key: The text of the object `$0`.
  public func sorted(
    _ order: Order = .ascending, nils: NilOrder? = nil, by key: (QueryRow<E>) -> QueryCollatedText
  ) -> Self {
    sorted(by: key(QueryRow(alias: row)).sql, order, nils)
  }

  /// Adds a sort key: a text without regard to case, or to accents. Folded texts are sorted by their Unicode scalars;
  /// for the order of a language see ``sorted(by:locale:_:nils:)``.
  ///
  /// `User.all.sorted { $0.name.ignoringCaseAndAccents }`
  /// // … ORDER BY _entity_fold(t0."name", 1), t0._pk
  ///
  /// - Parameters:
  ///   - order: Which texts come first.
  ///   - nils: Where objects without a text come; `nil` is as ``Order`` says.
  ///   - key: The text of the object `$0`.
  public func sorted(
    _ order: Order = .ascending, nils: NilOrder? = nil, by key: (QueryRow<E>) -> QueryFoldedText
  ) -> Self {
    sorted(by: key(QueryRow(alias: row)).sql, order, nils)
  }
}
