/// Where an object keeps the value of one property. Relationships keep a row id, never an object.
@_documentation(visibility: internal)
@frozen public struct Slot<Value> {
  @usableFromInline var value: Value?
  @usableFromInline var pk: Int64 = 0

  @inlinable public init(_ value: Value? = nil) { self.value = value }

  @inlinable init(pk: Int64) { self.pk = pk }
}
