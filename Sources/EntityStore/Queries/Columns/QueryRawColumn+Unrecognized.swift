/// An Optional of an enum with raw values, whose cases are known.
public protocol _OptionalCases {
  static var _storedCases: [StoredValue] { get }
}

extension Optional: _OptionalCases
where Wrapped: RawRepresentable & CaseIterable & AttributeValue, Wrapped.RawValue: ScalarValue {
  public static var _storedCases: [StoredValue] { Wrapped.allCases.compactMap { try? Wrapped._stored($0) } }
}

extension QueryRawColumn where V: RawRepresentable & CaseIterable & AttributeValue, V.RawValue: ScalarValue {
  /// `$0.role.isUnrecognized`: the server sent a raw value that no case has, and the property reads as its default
  /// // NOT (t0."role" IN (?, ?))
  ///
  /// `$0.role == .guest || $0.role.isUnrecognized` finds the objects that read as `.guest` where that is the default.
  public var isUnrecognized: EntityPredicate { outside(V?._storedCases) }
}

extension QueryRawColumn where V: _OptionalCases {
  /// `$0.role.isUnrecognized`, of an optional; a row without a value is none of these
  /// // NOT (t0."role" IN (?, ?))
  ///
  /// The property of such an object reads as its default, or `nil` where it has none.
  public var isUnrecognized: EntityPredicate { outside(V._storedCases) }
}

extension QueryRawColumn {
  // Never run: a use of an unavailable declaration does not compile.
  @available(
    *, unavailable,
    message: "only an enum says which raw values it has: declare it CaseIterable; to an option set each is one"
  )
  @_disfavoredOverload
  public var isUnrecognized: EntityPredicate { outside([]) }

  private func outside(_ cases: [StoredValue]) -> EntityPredicate {
    EntityPredicate("NOT (\(SQLFragment.isIn(sql, cases)))")
  }
}
