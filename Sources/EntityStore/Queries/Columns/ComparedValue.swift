// The value of a condition. Its type decides its form in rows, for a query as for a write: `AttributeValue._stored`
// serves both. So a query can't look for another form than the column has.

/// A value as a column is compared with it.
enum ComparedValue {
  /// The value is in no row: NaN, which is equal to nothing, or a value that its property can't have.
  case none
  /// The value is `nil`: rows without a value have it.
  case null
  case stored(StoredValue)

  /// - Parameter fold: How the column's texts are folded.
  init<V: AttributeValue>(_ value: V, _ fold: TextFold? = nil) {
    if V._isNil(value) {
      self = .null
    } else if let stored = try? V._stored(value), !stored.isNull {
      self = .stored(fold?.folded(stored) ?? stored)
    } else {
      self = .none
    }
  }
}

extension EntityPredicate {
  init(_ column: SQLFragment, equals value: ComparedValue) {
    switch value {
    case .none: self.init("0")
    case .null: self.init("\(column) IS NULL")
    case .stored(let stored): self.init(column, is: stored)
    }
  }

  init(_ column: SQLFragment, differsFrom value: ComparedValue) {
    switch value {
    case .none: self.init("1")
    case .null: self.init("\(column) IS NOT NULL")
    case .stored(let stored): self.init("\(column) IS NOT \(stored)")
    }
  }

  init(_ column: SQLFragment, isIn values: [ComparedValue]) {
    var list: [StoredValue] = []
    var hasNull = false
    for value in values {
      switch value {
      case .none: break
      case .null: hasNull = true
      case .stored(let stored): list.append(stored)
      }
    }
    let isIn = EntityPredicate(.isIn(column, list))
    self = hasNull ? isIn || EntityPredicate("\(column) IS NULL") : isIn
  }
}

extension TextFold {
  func folded(_ stored: StoredValue) -> StoredValue {
    if case .text(let text) = stored { .text(folded(text)) } else { stored }
  }
}

extension SQLFragment {
  /// The column of a type that is stored as raw values. A type may have raw values and still be stored as JSON, as with
  /// an app's `extension Array: RawRepresentable`. In SQL it has neither an order nor bits.
  static func raw<V: AttributeValue>(_ column: SQLFragment, of type: V.Type) -> SQLFragment {
    guard V._form == .json else { return column }
    return "\(column)\(invalid: StoreError(.invalidQuery, jsonHasNoRaw(V.self)))"
  }

  private static func jsonHasNoRaw(_ type: Any.Type) -> String {
    "'\(type)' has raw values, and is stored as JSON: a query compares it with == and != only, and has no order of it. Conform "
      + "the type to 'AttributeValue' where its raw value is known to be a 'ScalarValue', to store the raw value."
  }
}
