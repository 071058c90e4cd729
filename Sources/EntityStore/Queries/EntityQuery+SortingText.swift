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
  ///   - nils: Where objects without a text come; `nil` means as in ``Order``.
  public func sorted<V: AttributeValue>(
    by column: KeyPath<E.Columns, Column<E, V>>, locale: Locale, _ order: Order = .ascending, nils: NilOrder? = nil
  ) -> Self where V._Unwrapped == String {
    sorted(order, nils: nils) { $0[dynamicMember: column].collated(by: locale) }
  }

  /// Adds a sort key: a text in the order of a language.
  ///
  /// `User.all.sorted { $0.address.city.collated(by: Locale(identifier: "nb")) }`
  /// // … ORDER BY (SELECT p."city" FROM "Address" AS p WHERE p._pk = t0."address") COLLATE "_entity_nb", t0._pk
  ///
  /// - Parameters:
  ///   - order: Which texts come first.
  ///   - nils: Where objects without a text come; `nil` means as in ``Order``.
  ///   - key: The text of the object `$0`.
  public func sorted(
    _ order: Order = .ascending, nils: NilOrder? = nil, by key: (QueryRow<E>) -> QueryCollatedText
  ) -> Self {
    sorted(by: key(QueryRow(alias: row)).sql, order, nils)
  }
}
