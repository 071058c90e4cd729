package import EntityMacros
package import EntityStore
package import Foundation

/// Each type that an attribute can have.
@Entity package final class Values {
  @UID package var uid: UUID
  package var bool: Bool
  package var int: Int
  package var int8: Int8
  package var int16: Int16
  package var int32: Int32
  package var int64: Int64
  package var uint: UInt
  package var uint8: UInt8
  package var uint16: UInt16
  package var uint32: UInt32
  package var uint64: UInt64
  package var double: Double
  package var string: String
  package var data: Data
  package var date: Date
  package var uuid: UUID
  package var maybeBool: Bool?
  package var maybeInt: Int?
  package var maybeInt8: Int8?
  package var maybeInt16: Int16?
  package var maybeInt32: Int32?
  package var maybeInt64: Int64?
  package var maybeUint: UInt?
  package var maybeUint8: UInt8?
  package var maybeUint16: UInt16?
  package var maybeUint32: UInt32?
  package var maybeUint64: UInt64?
  package var maybeDouble: Double?
  package var maybeString: String?
  package var maybeData: Data?
  package var maybeDate: Date?
  package var maybeUuid: UUID?
}

extension Values {
  package static let world: [any ManagedEntity.Type] = [Values.self]
}
