import EntityStore
import Foundation
import Observation

/// Each type that an attribute can have.
nonisolated final class Values: ManagedEntity {
  struct Columns: Sendable {
    let uid = Column<Values, UUID>(0, "uid")
    let bool = Column<Values, Bool>(1, "bool")
    let int = Column<Values, Int>(2, "int")
    let int8 = Column<Values, Int8>(3, "int8")
    let int16 = Column<Values, Int16>(4, "int16")
    let int32 = Column<Values, Int32>(5, "int32")
    let int64 = Column<Values, Int64>(6, "int64")
    let uint = Column<Values, UInt>(7, "uint")
    let uint8 = Column<Values, UInt8>(8, "uint8")
    let uint16 = Column<Values, UInt16>(9, "uint16")
    let uint32 = Column<Values, UInt32>(10, "uint32")
    let uint64 = Column<Values, UInt64>(11, "uint64")
    let double = Column<Values, Double>(12, "double")
    let string = Column<Values, String>(13, "string")
    let data = Column<Values, Data>(14, "data")
    let date = Column<Values, Date>(15, "date")
    let uuid = Column<Values, UUID>(16, "uuid")
    let maybeBool = Column<Values, Bool?>(17, "maybeBool")
    let maybeInt = Column<Values, Int?>(18, "maybeInt")
    let maybeInt8 = Column<Values, Int8?>(19, "maybeInt8")
    let maybeInt16 = Column<Values, Int16?>(20, "maybeInt16")
    let maybeInt32 = Column<Values, Int32?>(21, "maybeInt32")
    let maybeInt64 = Column<Values, Int64?>(22, "maybeInt64")
    let maybeUint = Column<Values, UInt?>(23, "maybeUint")
    let maybeUint8 = Column<Values, UInt8?>(24, "maybeUint8")
    let maybeUint16 = Column<Values, UInt16?>(25, "maybeUint16")
    let maybeUint32 = Column<Values, UInt32?>(26, "maybeUint32")
    let maybeUint64 = Column<Values, UInt64?>(27, "maybeUint64")
    let maybeDouble = Column<Values, Double?>(28, "maybeDouble")
    let maybeString = Column<Values, String?>(29, "maybeString")
    let maybeData = Column<Values, Data?>(30, "maybeData")
    let maybeDate = Column<Values, Date?>(31, "maybeDate")
    let maybeUuid = Column<Values, UUID?>(32, "maybeUuid")
  }

  static let columns: Columns = Columns()
  static let properties: [PropertyDescriptor] = [
    .property(\Values.uid, columns.uid, uid: true),
    .property(\Values.bool, columns.bool),
    .property(\Values.int, columns.int),
    .property(\Values.int8, columns.int8),
    .property(\Values.int16, columns.int16),
    .property(\Values.int32, columns.int32),
    .property(\Values.int64, columns.int64),
    .property(\Values.uint, columns.uint),
    .property(\Values.uint8, columns.uint8),
    .property(\Values.uint16, columns.uint16),
    .property(\Values.uint32, columns.uint32),
    .property(\Values.uint64, columns.uint64),
    .property(\Values.double, columns.double),
    .property(\Values.string, columns.string),
    .property(\Values.data, columns.data),
    .property(\Values.date, columns.date),
    .property(\Values.uuid, columns.uuid),
    .property(\Values.maybeBool, columns.maybeBool),
    .property(\Values.maybeInt, columns.maybeInt),
    .property(\Values.maybeInt8, columns.maybeInt8),
    .property(\Values.maybeInt16, columns.maybeInt16),
    .property(\Values.maybeInt32, columns.maybeInt32),
    .property(\Values.maybeInt64, columns.maybeInt64),
    .property(\Values.maybeUint, columns.maybeUint),
    .property(\Values.maybeUint8, columns.maybeUint8),
    .property(\Values.maybeUint16, columns.maybeUint16),
    .property(\Values.maybeUint32, columns.maybeUint32),
    .property(\Values.maybeUint64, columns.maybeUint64),
    .property(\Values.maybeDouble, columns.maybeDouble),
    .property(\Values.maybeString, columns.maybeString),
    .property(\Values.maybeData, columns.maybeData),
    .property(\Values.maybeDate, columns.maybeDate),
    .property(\Values.maybeUuid, columns.maybeUuid),
  ]

  let _$state: ObjectState

  private var _$$uid = Slot<UUID>()
  private var _$$bool = Slot<Bool>()
  private var _$$int = Slot<Int>()
  private var _$$int8 = Slot<Int8>()
  private var _$$int16 = Slot<Int16>()
  private var _$$int32 = Slot<Int32>()
  private var _$$int64 = Slot<Int64>()
  private var _$$uint = Slot<UInt>()
  private var _$$uint8 = Slot<UInt8>()
  private var _$$uint16 = Slot<UInt16>()
  private var _$$uint32 = Slot<UInt32>()
  private var _$$uint64 = Slot<UInt64>()
  private var _$$double = Slot<Double>()
  private var _$$string = Slot<String>()
  private var _$$data = Slot<Data>()
  private var _$$date = Slot<Date>()
  private var _$$uuid = Slot<UUID>()
  private var _$$maybeBool = Slot<Bool?>()
  private var _$$maybeInt = Slot<Int?>()
  private var _$$maybeInt8 = Slot<Int8?>()
  private var _$$maybeInt16 = Slot<Int16?>()
  private var _$$maybeInt32 = Slot<Int32?>()
  private var _$$maybeInt64 = Slot<Int64?>()
  private var _$$maybeUint = Slot<UInt?>()
  private var _$$maybeUint8 = Slot<UInt8?>()
  private var _$$maybeUint16 = Slot<UInt16?>()
  private var _$$maybeUint32 = Slot<UInt32?>()
  private var _$$maybeUint64 = Slot<UInt64?>()
  private var _$$maybeDouble = Slot<Double?>()
  private var _$$maybeString = Slot<String?>()
  private var _$$maybeData = Slot<Data?>()
  private var _$$maybeDate = Slot<Date?>()
  private var _$$maybeUuid = Slot<UUID?>()

  init(_ state: ObjectState) { _$state = state }

  var uid: UUID {
    get { _get(\.uid, Self.columns.uid, _$$uid) }
    set { _set(\.uid, Self.columns.uid, _$$uid, newValue) { _$$uid = $0 } }
  }

  var bool: Bool {
    get { _get(\.bool, Self.columns.bool, _$$bool) }
    set { _set(\.bool, Self.columns.bool, _$$bool, newValue) { _$$bool = $0 } }
  }

  var int: Int {
    get { _get(\.int, Self.columns.int, _$$int) }
    set { _set(\.int, Self.columns.int, _$$int, newValue) { _$$int = $0 } }
  }

  var int8: Int8 {
    get { _get(\.int8, Self.columns.int8, _$$int8) }
    set { _set(\.int8, Self.columns.int8, _$$int8, newValue) { _$$int8 = $0 } }
  }

  var int16: Int16 {
    get { _get(\.int16, Self.columns.int16, _$$int16) }
    set { _set(\.int16, Self.columns.int16, _$$int16, newValue) { _$$int16 = $0 } }
  }

  var int32: Int32 {
    get { _get(\.int32, Self.columns.int32, _$$int32) }
    set { _set(\.int32, Self.columns.int32, _$$int32, newValue) { _$$int32 = $0 } }
  }

  var int64: Int64 {
    get { _get(\.int64, Self.columns.int64, _$$int64) }
    set { _set(\.int64, Self.columns.int64, _$$int64, newValue) { _$$int64 = $0 } }
  }

  var uint: UInt {
    get { _get(\.uint, Self.columns.uint, _$$uint) }
    set { _set(\.uint, Self.columns.uint, _$$uint, newValue) { _$$uint = $0 } }
  }

  var uint8: UInt8 {
    get { _get(\.uint8, Self.columns.uint8, _$$uint8) }
    set { _set(\.uint8, Self.columns.uint8, _$$uint8, newValue) { _$$uint8 = $0 } }
  }

  var uint16: UInt16 {
    get { _get(\.uint16, Self.columns.uint16, _$$uint16) }
    set { _set(\.uint16, Self.columns.uint16, _$$uint16, newValue) { _$$uint16 = $0 } }
  }

  var uint32: UInt32 {
    get { _get(\.uint32, Self.columns.uint32, _$$uint32) }
    set { _set(\.uint32, Self.columns.uint32, _$$uint32, newValue) { _$$uint32 = $0 } }
  }

  var uint64: UInt64 {
    get { _get(\.uint64, Self.columns.uint64, _$$uint64) }
    set { _set(\.uint64, Self.columns.uint64, _$$uint64, newValue) { _$$uint64 = $0 } }
  }

  var double: Double {
    get { _get(\.double, Self.columns.double, _$$double) }
    set { _set(\.double, Self.columns.double, _$$double, newValue) { _$$double = $0 } }
  }

  var string: String {
    get { _get(\.string, Self.columns.string, _$$string) }
    set { _set(\.string, Self.columns.string, _$$string, newValue) { _$$string = $0 } }
  }

  var data: Data {
    get { _get(\.data, Self.columns.data, _$$data) }
    set { _set(\.data, Self.columns.data, _$$data, newValue) { _$$data = $0 } }
  }

  var date: Date {
    get { _get(\.date, Self.columns.date, _$$date) }
    set { _set(\.date, Self.columns.date, _$$date, newValue) { _$$date = $0 } }
  }

  var uuid: UUID {
    get { _get(\.uuid, Self.columns.uuid, _$$uuid) }
    set { _set(\.uuid, Self.columns.uuid, _$$uuid, newValue) { _$$uuid = $0 } }
  }

  var maybeBool: Bool? {
    get { _get(\.maybeBool, Self.columns.maybeBool, _$$maybeBool) }
    set { _set(\.maybeBool, Self.columns.maybeBool, _$$maybeBool, newValue) { _$$maybeBool = $0 } }
  }

  var maybeInt: Int? {
    get { _get(\.maybeInt, Self.columns.maybeInt, _$$maybeInt) }
    set { _set(\.maybeInt, Self.columns.maybeInt, _$$maybeInt, newValue) { _$$maybeInt = $0 } }
  }

  var maybeInt8: Int8? {
    get { _get(\.maybeInt8, Self.columns.maybeInt8, _$$maybeInt8) }
    set { _set(\.maybeInt8, Self.columns.maybeInt8, _$$maybeInt8, newValue) { _$$maybeInt8 = $0 } }
  }

  var maybeInt16: Int16? {
    get { _get(\.maybeInt16, Self.columns.maybeInt16, _$$maybeInt16) }
    set { _set(\.maybeInt16, Self.columns.maybeInt16, _$$maybeInt16, newValue) { _$$maybeInt16 = $0 } }
  }

  var maybeInt32: Int32? {
    get { _get(\.maybeInt32, Self.columns.maybeInt32, _$$maybeInt32) }
    set { _set(\.maybeInt32, Self.columns.maybeInt32, _$$maybeInt32, newValue) { _$$maybeInt32 = $0 } }
  }

  var maybeInt64: Int64? {
    get { _get(\.maybeInt64, Self.columns.maybeInt64, _$$maybeInt64) }
    set { _set(\.maybeInt64, Self.columns.maybeInt64, _$$maybeInt64, newValue) { _$$maybeInt64 = $0 } }
  }

  var maybeUint: UInt? {
    get { _get(\.maybeUint, Self.columns.maybeUint, _$$maybeUint) }
    set { _set(\.maybeUint, Self.columns.maybeUint, _$$maybeUint, newValue) { _$$maybeUint = $0 } }
  }

  var maybeUint8: UInt8? {
    get { _get(\.maybeUint8, Self.columns.maybeUint8, _$$maybeUint8) }
    set { _set(\.maybeUint8, Self.columns.maybeUint8, _$$maybeUint8, newValue) { _$$maybeUint8 = $0 } }
  }

  var maybeUint16: UInt16? {
    get { _get(\.maybeUint16, Self.columns.maybeUint16, _$$maybeUint16) }
    set { _set(\.maybeUint16, Self.columns.maybeUint16, _$$maybeUint16, newValue) { _$$maybeUint16 = $0 } }
  }

  var maybeUint32: UInt32? {
    get { _get(\.maybeUint32, Self.columns.maybeUint32, _$$maybeUint32) }
    set { _set(\.maybeUint32, Self.columns.maybeUint32, _$$maybeUint32, newValue) { _$$maybeUint32 = $0 } }
  }

  var maybeUint64: UInt64? {
    get { _get(\.maybeUint64, Self.columns.maybeUint64, _$$maybeUint64) }
    set { _set(\.maybeUint64, Self.columns.maybeUint64, _$$maybeUint64, newValue) { _$$maybeUint64 = $0 } }
  }

  var maybeDouble: Double? {
    get { _get(\.maybeDouble, Self.columns.maybeDouble, _$$maybeDouble) }
    set { _set(\.maybeDouble, Self.columns.maybeDouble, _$$maybeDouble, newValue) { _$$maybeDouble = $0 } }
  }

  var maybeString: String? {
    get { _get(\.maybeString, Self.columns.maybeString, _$$maybeString) }
    set { _set(\.maybeString, Self.columns.maybeString, _$$maybeString, newValue) { _$$maybeString = $0 } }
  }

  var maybeData: Data? {
    get { _get(\.maybeData, Self.columns.maybeData, _$$maybeData) }
    set { _set(\.maybeData, Self.columns.maybeData, _$$maybeData, newValue) { _$$maybeData = $0 } }
  }

  var maybeDate: Date? {
    get { _get(\.maybeDate, Self.columns.maybeDate, _$$maybeDate) }
    set { _set(\.maybeDate, Self.columns.maybeDate, _$$maybeDate, newValue) { _$$maybeDate = $0 } }
  }

  var maybeUuid: UUID? {
    get { _get(\.maybeUuid, Self.columns.maybeUuid, _$$maybeUuid) }
    set { _set(\.maybeUuid, Self.columns.maybeUuid, _$$maybeUuid, newValue) { _$$maybeUuid = $0 } }
  }

  func _$load(_ row: RowReader) {
    _load(row, Self.columns.uid, &_$$uid)
    _load(row, Self.columns.bool, &_$$bool)
    _load(row, Self.columns.int, &_$$int)
    _load(row, Self.columns.int8, &_$$int8)
    _load(row, Self.columns.int16, &_$$int16)
    _load(row, Self.columns.int32, &_$$int32)
    _load(row, Self.columns.int64, &_$$int64)
    _load(row, Self.columns.uint, &_$$uint)
    _load(row, Self.columns.uint8, &_$$uint8)
    _load(row, Self.columns.uint16, &_$$uint16)
    _load(row, Self.columns.uint32, &_$$uint32)
    _load(row, Self.columns.uint64, &_$$uint64)
    _load(row, Self.columns.double, &_$$double)
    _load(row, Self.columns.string, &_$$string)
    _load(row, Self.columns.data, &_$$data)
    _load(row, Self.columns.date, &_$$date)
    _load(row, Self.columns.uuid, &_$$uuid)
    _load(row, Self.columns.maybeBool, &_$$maybeBool)
    _load(row, Self.columns.maybeInt, &_$$maybeInt)
    _load(row, Self.columns.maybeInt8, &_$$maybeInt8)
    _load(row, Self.columns.maybeInt16, &_$$maybeInt16)
    _load(row, Self.columns.maybeInt32, &_$$maybeInt32)
    _load(row, Self.columns.maybeInt64, &_$$maybeInt64)
    _load(row, Self.columns.maybeUint, &_$$maybeUint)
    _load(row, Self.columns.maybeUint8, &_$$maybeUint8)
    _load(row, Self.columns.maybeUint16, &_$$maybeUint16)
    _load(row, Self.columns.maybeUint32, &_$$maybeUint32)
    _load(row, Self.columns.maybeUint64, &_$$maybeUint64)
    _load(row, Self.columns.maybeDouble, &_$$maybeDouble)
    _load(row, Self.columns.maybeString, &_$$maybeString)
    _load(row, Self.columns.maybeData, &_$$maybeData)
    _load(row, Self.columns.maybeDate, &_$$maybeDate)
    _load(row, Self.columns.maybeUuid, &_$$maybeUuid)
  }

  func _$store(into row: inout RowValues) {
    _store(&row, Self.columns.uid, _$$uid)
    _store(&row, Self.columns.bool, _$$bool)
    _store(&row, Self.columns.int, _$$int)
    _store(&row, Self.columns.int8, _$$int8)
    _store(&row, Self.columns.int16, _$$int16)
    _store(&row, Self.columns.int32, _$$int32)
    _store(&row, Self.columns.int64, _$$int64)
    _store(&row, Self.columns.uint, _$$uint)
    _store(&row, Self.columns.uint8, _$$uint8)
    _store(&row, Self.columns.uint16, _$$uint16)
    _store(&row, Self.columns.uint32, _$$uint32)
    _store(&row, Self.columns.uint64, _$$uint64)
    _store(&row, Self.columns.double, _$$double)
    _store(&row, Self.columns.string, _$$string)
    _store(&row, Self.columns.data, _$$data)
    _store(&row, Self.columns.date, _$$date)
    _store(&row, Self.columns.uuid, _$$uuid)
    _store(&row, Self.columns.maybeBool, _$$maybeBool)
    _store(&row, Self.columns.maybeInt, _$$maybeInt)
    _store(&row, Self.columns.maybeInt8, _$$maybeInt8)
    _store(&row, Self.columns.maybeInt16, _$$maybeInt16)
    _store(&row, Self.columns.maybeInt32, _$$maybeInt32)
    _store(&row, Self.columns.maybeInt64, _$$maybeInt64)
    _store(&row, Self.columns.maybeUint, _$$maybeUint)
    _store(&row, Self.columns.maybeUint8, _$$maybeUint8)
    _store(&row, Self.columns.maybeUint16, _$$maybeUint16)
    _store(&row, Self.columns.maybeUint32, _$$maybeUint32)
    _store(&row, Self.columns.maybeUint64, _$$maybeUint64)
    _store(&row, Self.columns.maybeDouble, _$$maybeDouble)
    _store(&row, Self.columns.maybeString, _$$maybeString)
    _store(&row, Self.columns.maybeData, _$$maybeData)
    _store(&row, Self.columns.maybeDate, _$$maybeDate)
    _store(&row, Self.columns.maybeUuid, _$$maybeUuid)
  }
}
