extension PropertyModel {
  /// Whether the property is the side of a one-to-one relationship without a column. The store treats it as a list of
  /// one member.
  package var isCounterpart: Bool { facts.isCounterpart }
}

enum OneToOne {
  /// The rest of a query for groups of rows that share a target.
  ///
  /// - Parameter link: The column, quoted.
  static func twins(_ table: String, _ link: String) -> String {
    "FROM \(table) WHERE \(link) IS NOT NULL GROUP BY \(link) HAVING count(*) > 1"
  }
}
