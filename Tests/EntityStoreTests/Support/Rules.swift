import EntityStore
import Observation

nonisolated final class Owner: ManagedEntity {
  struct Columns: Sendable {
    let name = Column<Owner, String>(0, "name")
    let nullified = Column<Owner, [Nullified]>(1, "nullified")
    let cascaded = Column<Owner, [Cascaded]>(2, "cascaded")
    let denied = Column<Owner, [Denied]>(3, "denied")
  }

  static let columns: Columns = Columns()
  static let properties: [PropertyDescriptor] = [
    .property(\Owner.name, columns.name),
    .property(\Owner.nullified, columns.nullified, inverse: Nullified.columns.owner, onDelete: .nullify),
    .property(\Owner.cascaded, columns.cascaded, inverse: Cascaded.columns.owner, onDelete: .cascade),
    .property(\Owner.denied, columns.denied, inverse: Denied.columns.owner, onDelete: .deny),
  ]

  let _$state: ObjectState

  private var _$$name = Slot<String>()
  private var _$$nullified = Slot<[Nullified]>()
  private var _$$cascaded = Slot<[Cascaded]>()
  private var _$$denied = Slot<[Denied]>()

  init(_ state: ObjectState) { _$state = state }

  var name: String {
    get { _get(\.name, Self.columns.name, _$$name) }
    set { _set(\.name, Self.columns.name, _$$name, newValue) { _$$name = $0 } }
  }

  var nullified: [Nullified] {
    get { _get(\.nullified, Self.columns.nullified, _$$nullified) }
    set { _set(\.nullified, Self.columns.nullified, _$$nullified, newValue) { _$$nullified = $0 } }
  }

  var cascaded: [Cascaded] {
    get { _get(\.cascaded, Self.columns.cascaded, _$$cascaded) }
    set { _set(\.cascaded, Self.columns.cascaded, _$$cascaded, newValue) { _$$cascaded = $0 } }
  }

  var denied: [Denied] {
    get { _get(\.denied, Self.columns.denied, _$$denied) }
    set { _set(\.denied, Self.columns.denied, _$$denied, newValue) { _$$denied = $0 } }
  }

  func _$load(_ row: RowReader) {
    _load(row, Self.columns.name, &_$$name)
    _load(row, Self.columns.nullified, &_$$nullified)
    _load(row, Self.columns.cascaded, &_$$cascaded)
    _load(row, Self.columns.denied, &_$$denied)
  }

  func _$store(into row: inout RowValues) {
    _store(&row, Self.columns.name, _$$name)
    _store(&row, Self.columns.nullified, _$$nullified)
    _store(&row, Self.columns.cascaded, _$$cascaded)
    _store(&row, Self.columns.denied, _$$denied)
  }
}

nonisolated final class Nullified: ManagedEntity {
  struct Columns: Sendable {
    let owner = Column<Nullified, Owner?>(0, "owner")
  }

  static let columns: Columns = Columns()
  static let properties: [PropertyDescriptor] = [
    .property(\Nullified.owner, columns.owner)
  ]

  let _$state: ObjectState

  private var _$$owner = Slot<Owner?>()

  init(_ state: ObjectState) { _$state = state }

  var owner: Owner? {
    get { _get(\.owner, Self.columns.owner, _$$owner) }
    set { _set(\.owner, Self.columns.owner, _$$owner, newValue) { _$$owner = $0 } }
  }

  func _$load(_ row: RowReader) {
    _load(row, Self.columns.owner, &_$$owner)
  }

  func _$store(into row: inout RowValues) {
    _store(&row, Self.columns.owner, _$$owner)
  }
}

nonisolated final class Cascaded: ManagedEntity {
  struct Columns: Sendable {
    let owner = Column<Cascaded, Owner?>(0, "owner")
    let detail = Column<Cascaded, Detail?>(1, "detail")
  }

  static let columns: Columns = Columns()
  static let properties: [PropertyDescriptor] = [
    .property(\Cascaded.owner, columns.owner),
    .property(\Cascaded.detail, columns.detail, onDelete: .cascade),
  ]

  let _$state: ObjectState

  private var _$$owner = Slot<Owner?>()
  private var _$$detail = Slot<Detail?>()

  init(_ state: ObjectState) { _$state = state }

  var owner: Owner? {
    get { _get(\.owner, Self.columns.owner, _$$owner) }
    set { _set(\.owner, Self.columns.owner, _$$owner, newValue) { _$$owner = $0 } }
  }

  var detail: Detail? {
    get { _get(\.detail, Self.columns.detail, _$$detail) }
    set { _set(\.detail, Self.columns.detail, _$$detail, newValue) { _$$detail = $0 } }
  }

  func _$load(_ row: RowReader) {
    _load(row, Self.columns.owner, &_$$owner)
    _load(row, Self.columns.detail, &_$$detail)
  }

  func _$store(into row: inout RowValues) {
    _store(&row, Self.columns.owner, _$$owner)
    _store(&row, Self.columns.detail, _$$detail)
  }
}

nonisolated final class Denied: ManagedEntity {
  struct Columns: Sendable {
    let owner = Column<Denied, Owner?>(0, "owner")
    let held = Column<Denied, Detail?>(1, "held")
  }

  static let columns: Columns = Columns()
  static let properties: [PropertyDescriptor] = [
    .property(\Denied.owner, columns.owner),
    .property(\Denied.held, columns.held, onDelete: .deny),
  ]

  let _$state: ObjectState

  private var _$$owner = Slot<Owner?>()
  private var _$$held = Slot<Detail?>()

  init(_ state: ObjectState) { _$state = state }

  var owner: Owner? {
    get { _get(\.owner, Self.columns.owner, _$$owner) }
    set { _set(\.owner, Self.columns.owner, _$$owner, newValue) { _$$owner = $0 } }
  }

  var held: Detail? {
    get { _get(\.held, Self.columns.held, _$$held) }
    set { _set(\.held, Self.columns.held, _$$held, newValue) { _$$held = $0 } }
  }

  func _$load(_ row: RowReader) {
    _load(row, Self.columns.owner, &_$$owner)
    _load(row, Self.columns.held, &_$$held)
  }

  func _$store(into row: inout RowValues) {
    _store(&row, Self.columns.owner, _$$owner)
    _store(&row, Self.columns.held, _$$held)
  }
}

nonisolated final class Detail: ManagedEntity {
  struct Columns: Sendable {
    let name = Column<Detail, String?>(0, "name")
  }

  static let columns: Columns = Columns()
  static let properties: [PropertyDescriptor] = [
    .property(\Detail.name, columns.name)
  ]

  let _$state: ObjectState

  private var _$$name = Slot<String?>()

  init(_ state: ObjectState) { _$state = state }

  var name: String? {
    get { _get(\.name, Self.columns.name, _$$name) }
    set { _set(\.name, Self.columns.name, _$$name, newValue) { _$$name = $0 } }
  }

  func _$load(_ row: RowReader) {
    _load(row, Self.columns.name, &_$$name)
  }

  func _$store(into row: inout RowValues) {
    _store(&row, Self.columns.name, _$$name)
  }
}
