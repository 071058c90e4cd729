import EntityClient
import Foundation

/// Twice two properties of one key. The macro refuses that; by hand it can be declared.
nonisolated final class Priced: ManagedEntity, RemoteEntity {
  static var basePath: String { "priced" }

  struct Columns: Sendable {
    let uid = Column<Priced, Int>(0, "uid")
    let text = Column<Priced, String?>(1, "text")
    let price = Column<Priced, Decimal>(2, "price")
    let code = Column<Priced, String?>(3, "code")
    let filled = Column<Priced, String?>(4, "filled")
  }

  static let columns: Columns = Columns()
  static let properties: [PropertyDescriptor] = [
    .property(\Priced.uid, columns.uid, key: "id", uid: true),
    .property(\Priced.text, columns.text, key: "price"),
    .property(\Priced.price, columns.price, key: "price", transformer: CentsTransformer.self),
    .property(\Priced.code, columns.code, key: "code"),
    .property(\Priced.filled, columns.filled, key: "code", transformer: EmptyTransformer.self),
  ]

  func update(with response: ResponseObject) throws {
    if response.contains("declared") { return try assignDeclared(from: response) }
    try response.assign("price", to: &price)
    try response.assign("price", to: &text)
    try response.assign("code", to: &code)
  }

  let _$state: ObjectState

  private var _$$uid = Slot<Int>()
  private var _$$text = Slot<String?>()
  private var _$$price = Slot<Decimal>()
  private var _$$code = Slot<String?>()
  private var _$$filled = Slot<String?>()

  init(_ state: ObjectState) { _$state = state }

  var uid: Int {
    get { _get(\.uid, Self.columns.uid, _$$uid) }
    set { _set(\.uid, Self.columns.uid, _$$uid, newValue) { _$$uid = $0 } }
  }

  var text: String? {
    get { _get(\.text, Self.columns.text, _$$text) }
    set { _set(\.text, Self.columns.text, _$$text, newValue) { _$$text = $0 } }
  }

  var price: Decimal {
    get { _get(\.price, Self.columns.price, _$$price) }
    set { _set(\.price, Self.columns.price, _$$price, newValue) { _$$price = $0 } }
  }

  var code: String? {
    get { _get(\.code, Self.columns.code, _$$code) }
    set { _set(\.code, Self.columns.code, _$$code, newValue) { _$$code = $0 } }
  }

  var filled: String? {
    get { _get(\.filled, Self.columns.filled, _$$filled) }
    set { _set(\.filled, Self.columns.filled, _$$filled, newValue) { _$$filled = $0 } }
  }

  func _$load(_ row: RowReader) {
    _load(row, Self.columns.uid) { _$$uid = $0 }
    _load(row, Self.columns.text) { _$$text = $0 }
    _load(row, Self.columns.price) { _$$price = $0 }
    _load(row, Self.columns.code) { _$$code = $0 }
    _load(row, Self.columns.filled) { _$$filled = $0 }
  }

  func _$store(into row: inout RowValues) {
    _store(&row, Self.columns.uid, _$$uid)
    _store(&row, Self.columns.text, _$$text)
    _store(&row, Self.columns.price, _$$price)
    _store(&row, Self.columns.code, _$$code)
    _store(&row, Self.columns.filled, _$$filled)
  }
}
