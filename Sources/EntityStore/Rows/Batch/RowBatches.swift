import EntityJSON

/// The rows of some objects of a response, of all entities: what goes to the file at once.
package final class RowBatches {
  private let schema: SchemaModel
  // Unchecked for the same reason as in ``RowBatch``.
  @exclusivity(unchecked) private var batches: [RowBatch?]
  /// The entities that had rows, by their numbers.
  @exclusivity(unchecked) private var used: [Int] = []
  /// See ``steps(of:)``, by the entity's number.
  private var known: [Int: [Int64: Int]] = [:]
  /// The number of steps when the last object began.
  @exclusivity(unchecked) private var first = 0
  /// The rows and lists in the order in which they ended. An object comes behind the targets of its links, and before
  /// the members of its lists.
  @exclusivity(unchecked) private(set) var steps: [Step] = []
  /// The bytes of the response, which texts are read from.
  @exclusivity(unchecked) package private(set) var source: [UInt8] = []

  /// A row by its entity's number and its number in that entity's batch.
  package struct Place {
    package let entity: Int
    package let row: Int

    package init(entity: Int, row: Int) { (self.entity, self.row) = (entity, row) }
  }

  enum Step {
    case row(Place)
    case list(RowList)
  }

  package init(_ schema: SchemaModel) {
    self.schema = schema
    batches = Array(repeating: nil, count: schema.entities.count)
  }

  package var isEmpty: Bool { steps.isEmpty }

  /// The batches that have rows.
  package var filled: [RowBatch] { used.compactMap { batches[$0] }.filter { !$0.rows.isEmpty } }

  package subscript(_ number: Int) -> RowBatch {
    if let batch = batches[number] { return batch }
    let batch = RowBatch(schema.entities[number])
    batches[number] = batch
    used.append(number)
    return batch
  }

  /// The bytes that the rows refer to from now on; there are no rows yet.
  package func begin(_ source: [UInt8]) { self.source = source }

  /// An object ends: the response has said all of it.
  package func end(_ row: Int, of entity: Int) {
    steps.append(.row(Place(entity: entity, row: row)))
    self[entity].end(row)
  }

  /// A list ends.
  package func end(_ list: RowList) { steps.append(.list(list)) }

  /// An object of the response begins.
  package func beginObject() {
    first = steps.count
    for number in used { batches[number]?.beginObject() }
  }

  /// Forgets the rows since the last object began.
  package func dropObject() {
    steps.removeLast(steps.count - first)
    for number in used { batches[number]?.dropObject(source: source) }
  }

  /// Whether the steps or the bytes are as many as go to the file at once.
  package var isFull: Bool { steps.count >= 4_096 || used.contains { (batches[$0]?.table.byteCount ?? 0) > 1 << 20 } }

  /// The steps at which the rows of a batch ended, by their row ids, once they are known.
  func steps(of batch: RowBatch) -> [Int64: Int] {
    if let known = known[batch.model.number] { return known }
    var places: [Int64: Int] = [:]
    for (number, step) in steps.enumerated() {
      if case .row(let place) = step, place.entity == batch.model.number { places[batch.pks[place.row]] = number }
    }
    known[batch.model.number] = places
    return places
  }

  package func removeAll() {
    steps.removeAll(keepingCapacity: true)
    known = [:]
    for number in used { batches[number]?.removeAll() }
    first = 0
  }
}

/// A to-many or many-to-many relationship of an object in a response, with its members.
package struct RowList {
  let owner: RowBatches.Place
  let property: Int
  /// The entity of the members.
  let member: Int
  /// The members' rows in the batch of their entity, in the order of the response.
  let members: [Int]

  package init(_ property: Int, of owner: RowBatches.Place, member: Int, _ members: [Int]) {
    (self.property, self.owner, self.member, self.members) = (property, owner, member, members)
  }
}
