import EntityMacros
import EntityStore
import Foundation

/// Each type that an attribute can have.
@Entity final class Values {
  @UID var uid: UUID
  var bool: Bool
  var int: Int
  var int8: Int8
  var int16: Int16
  var int32: Int32
  var int64: Int64
  var uint: UInt
  var uint8: UInt8
  var uint16: UInt16
  var uint32: UInt32
  var uint64: UInt64
  var double: Double
  var string: String
  var data: Data
  var date: Date
  var uuid: UUID
  var maybeBool: Bool?
  var maybeInt: Int?
  var maybeInt8: Int8?
  var maybeInt16: Int16?
  var maybeInt32: Int32?
  var maybeInt64: Int64?
  var maybeUint: UInt?
  var maybeUint8: UInt8?
  var maybeUint16: UInt16?
  var maybeUint32: UInt32?
  var maybeUint64: UInt64?
  var maybeDouble: Double?
  var maybeString: String?
  var maybeData: Data?
  var maybeDate: Date?
  var maybeUuid: UUID?
}
