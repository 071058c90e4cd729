/// A row of any entity.
package struct RowKey: Hashable, Sendable {
  package let entity: Int
  package let pk: Int64

  package init(entity: Int, pk: Int64) {
    self.entity = entity
    self.pk = pk
  }
}
