import EntityStore
import Foundation
import Observation

/// Written by hand.
final class Parish: ManagedEntity {
  struct Columns: Sendable {
    let name = Column<Parish, String>(0, "name")
    let folded = Column<Parish, String>(1, "folded")
  }

  static let columns: Columns = Columns()
  static var properties: [PropertyDescriptor] {
    [
      .property(\Parish.name, columns.name),
      .derived(\Parish.folded, columns.folded, from: columns.name, indexed: true) { fold($0) },
    ]
  }

  let _$state: ObjectState
  private var _$$name = Slot<String>()

  init(_ state: ObjectState) { _$state = state }

  var name: String {
    get { _get(\.name, Self.columns.name, _$$name) }
    set { _set(\.name, Self.columns.name, _$$name, newValue) { _$$name = $0 } }
  }

  var folded: String { Self.fold(name) }

  static func fold(_ name: String) -> String {
    String(String.UnicodeScalarView(name.decomposedStringWithCanonicalMapping.unicodeScalars.filter(\.isASCII)))
      .lowercased()
  }

  func _$load(_ row: RowReader) { _load(row, Self.columns.name) { _$$name = $0 } }
  func _$store(into row: inout RowValues) { _store(&row, Self.columns.name, _$$name) }
}

// Derived properties that make no schema.

/// The columns of an attribute and two derived properties.
struct DerivedColumns<E: ManagedEntity>: Sendable {
  let base = Column<E, Int>(0, "base")
  let one = Column<E, Int>(1, "one")
  let two = Column<E, Int>(2, "two")
}

protocol Undivinable: ManagedEntity where Columns == DerivedColumns<Self> {
  var base: Int { get set }
}

extension Undivinable {
  static var columns: DerivedColumns<Self> { DerivedColumns() }
  var one: Int { base }
  var two: Int { base }
  func _$load(_ row: RowReader) {}
  func _$store(into row: inout RowValues) { _store(&row, Self.columns.base, Slot(0)) }
}

final class DerivedOfDerived: Undivinable {
  let _$state: ObjectState
  init(_ state: ObjectState) { _$state = state }
  var base = 0
  static var properties: [PropertyDescriptor] {
    [
      .property(\DerivedOfDerived.base, columns.base),
      .derived(\DerivedOfDerived.one, columns.one, from: columns.base) { $0 },
      .derived(\DerivedOfDerived.two, columns.two, from: columns.base, columns.one) { $0 + $1 },
    ]
  }
}

final class DerivedOfNothing: Undivinable {
  let _$state: ObjectState
  init(_ state: ObjectState) { _$state = state }
  var base = 0
  static var properties: [PropertyDescriptor] {
    [
      .property(\DerivedOfNothing.base, columns.base),
      .derived(\DerivedOfNothing.one, columns.one, from: columns.base) { $0 },
      .derived(\DerivedOfNothing.two, columns.two) { 3 },
    ]
  }
}

final class DerivedOfOther: Undivinable {
  let _$state: ObjectState
  init(_ state: ObjectState) { _$state = state }
  var base = 0
  static var properties: [PropertyDescriptor] {
    [
      .property(\DerivedOfOther.base, columns.base),
      .derived(\DerivedOfOther.one, columns.one, from: Column<DerivedOfOther, Int>(0, "other")) { $0 },
      .derived(\DerivedOfOther.two, columns.two, from: columns.base) { $0 },
    ]
  }
}

final class DerivedOfLazy: Undivinable {
  let _$state: ObjectState
  init(_ state: ObjectState) { _$state = state }
  var base = 0
  static var properties: [PropertyDescriptor] {
    [
      .property(\DerivedOfLazy.base, Column<DerivedOfLazy, LazyValue<Int>>(0, "base")),
      .derived(\DerivedOfLazy.one, columns.one, from: columns.base) { $0 },
      .derived(\DerivedOfLazy.two, columns.two, from: columns.base) { $0 },
    ]
  }
}
