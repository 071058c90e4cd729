import EntityClient
import Foundation
import Observation

/// An entity with an attribute of each kind and a String for its uid.
final class Specimen: ManagedEntity, RemoteEntity {
  static var basePath: String { "specimens" }

  struct Columns: Sendable {
    let uid = Column<Specimen, String>(0, "uid")
    let flag = Column<Specimen, Bool?>(1, "flag")
    let small = Column<Specimen, Int8>(2, "small")
    let big = Column<Specimen, UInt64>(3, "big")
    let ratio = Column<Specimen, Double?>(4, "ratio")
    let text = Column<Specimen, String?>(5, "text")
    let blob = Column<Specimen, Data?>(6, "blob")
    let foundAt = Column<Specimen, Date?>(7, "foundAt")
    let token = Column<Specimen, UUID?>(8, "token")
    let city = Column<Specimen, String?>(9, "city")
    let street = Column<Specimen, String?>(10, "street")
  }

  static let columns = Columns()

  static var properties: [PropertyDescriptor] {
    [
      .property(\Specimen.uid, columns.uid, key: "id", uid: true),
      .property(\Specimen.flag, columns.flag),
      .property(\Specimen.small, columns.small),
      .property(\Specimen.big, columns.big),
      .property(\Specimen.ratio, columns.ratio),
      .property(\Specimen.text, columns.text),
      .property(\Specimen.blob, columns.blob),
      .property(\Specimen.foundAt, columns.foundAt),
      .property(\Specimen.token, columns.token),
      .property(\Specimen.city, columns.city, key: "place.city"),
      .property(\Specimen.street, columns.street, key: "place.street"),
    ]
  }

  let _$state: ObjectState
  init(_ state: ObjectState) { _$state = state }

  var _$$uid = Slot<String>()
  var _$$flag = Slot<Bool?>()
  var _$$small = Slot<Int8>()
  var _$$big = Slot<UInt64>()
  var _$$ratio = Slot<Double?>()
  var _$$text = Slot<String?>()
  var _$$blob = Slot<Data?>()
  var _$$foundAt = Slot<Date?>()
  var _$$token = Slot<UUID?>()
  var _$$city = Slot<String?>()
  var _$$street = Slot<String?>()

  var uid: String {
    get { _get(\.uid, Self.columns.uid, _$$uid) }
    set { _set(\.uid, Self.columns.uid, _$$uid, newValue) { _$$uid = $0 } }
  }
  var flag: Bool? {
    get { _get(\.flag, Self.columns.flag, _$$flag) }
    set { _set(\.flag, Self.columns.flag, _$$flag, newValue) { _$$flag = $0 } }
  }
  var small: Int8 {
    get { _get(\.small, Self.columns.small, _$$small) }
    set { _set(\.small, Self.columns.small, _$$small, newValue) { _$$small = $0 } }
  }
  var big: UInt64 {
    get { _get(\.big, Self.columns.big, _$$big) }
    set { _set(\.big, Self.columns.big, _$$big, newValue) { _$$big = $0 } }
  }
  var ratio: Double? {
    get { _get(\.ratio, Self.columns.ratio, _$$ratio) }
    set { _set(\.ratio, Self.columns.ratio, _$$ratio, newValue) { _$$ratio = $0 } }
  }
  var text: String? {
    get { _get(\.text, Self.columns.text, _$$text) }
    set { _set(\.text, Self.columns.text, _$$text, newValue) { _$$text = $0 } }
  }
  var blob: Data? {
    get { _get(\.blob, Self.columns.blob, _$$blob) }
    set { _set(\.blob, Self.columns.blob, _$$blob, newValue) { _$$blob = $0 } }
  }
  var foundAt: Date? {
    get { _get(\.foundAt, Self.columns.foundAt, _$$foundAt) }
    set { _set(\.foundAt, Self.columns.foundAt, _$$foundAt, newValue) { _$$foundAt = $0 } }
  }
  var token: UUID? {
    get { _get(\.token, Self.columns.token, _$$token) }
    set { _set(\.token, Self.columns.token, _$$token, newValue) { _$$token = $0 } }
  }
  var city: String? {
    get { _get(\.city, Self.columns.city, _$$city) }
    set { _set(\.city, Self.columns.city, _$$city, newValue) { _$$city = $0 } }
  }
  var street: String? {
    get { _get(\.street, Self.columns.street, _$$street) }
    set { _set(\.street, Self.columns.street, _$$street, newValue) { _$$street = $0 } }
  }

  func _$load(_ row: RowReader) {
    _load(row, Self.columns.uid, &_$$uid)
    _load(row, Self.columns.flag, &_$$flag)
    _load(row, Self.columns.small, &_$$small)
    _load(row, Self.columns.big, &_$$big)
    _load(row, Self.columns.ratio, &_$$ratio)
    _load(row, Self.columns.text, &_$$text)
    _load(row, Self.columns.blob, &_$$blob)
    _load(row, Self.columns.foundAt, &_$$foundAt)
    _load(row, Self.columns.token, &_$$token)
    _load(row, Self.columns.city, &_$$city)
    _load(row, Self.columns.street, &_$$street)
  }

  func _$store(into row: inout RowValues) {
    _store(&row, Self.columns.uid, _$$uid)
    _store(&row, Self.columns.flag, _$$flag)
    _store(&row, Self.columns.small, _$$small)
    _store(&row, Self.columns.big, _$$big)
    _store(&row, Self.columns.ratio, _$$ratio)
    _store(&row, Self.columns.text, _$$text)
    _store(&row, Self.columns.blob, _$$blob)
    _store(&row, Self.columns.foundAt, _$$foundAt)
    _store(&row, Self.columns.token, _$$token)
    _store(&row, Self.columns.city, _$$city)
    _store(&row, Self.columns.street, _$$street)
  }
}
