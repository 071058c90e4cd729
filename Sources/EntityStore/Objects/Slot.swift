/// Where an object keeps the value of one property. Relationships keep a row id, never an object.
public struct Slot<Value> {
  var value: Value?
  var pk: Int64 = 0

  public init(_ value: Value? = nil) { self.value = value }

  init(pk: Int64) { self.pk = pk }
}
