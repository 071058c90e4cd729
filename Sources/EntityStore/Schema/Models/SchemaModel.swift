/// All entities of a store, resolved against each other.
package final class SchemaModel: Sendable {
  package let entities: [EntityModel]
  /// The entities that the app declares: all but those whose rows are pairs of many-to-many relationships.
  let declared: [EntityModel]
  /// Those others.
  let pairs: [EntityModel]
  /// The numbers of the entities, with the targets of links before the entities that have the links. In a cycle, one of
  /// the entities comes first.
  ///
  /// Where the target of a link is already there, SQLite checks the link at once. Else SQLite counts the link as
  /// broken, and searches for such links with each new target (https://sqlite.org/foreignkeys.html#fk_deferred).
  let writeOrder: [Int]
  /// Whether a save looks at objects before it writes them: for the callbacks of an entity, or for required relationships.
  let preparesSaves: Bool
  let numbers: [ObjectIdentifier: Int]
  private let tables: [String: Int]

  /// - Parameter numbers: The numbers of the entities, by their classes.
  init(_ entities: [EntityModel], numbers: [ObjectIdentifier: Int]) {
    self.entities = entities
    declared = entities.filter { !$0.isLinks }
    pairs = entities.filter(\.isLinks)
    self.numbers = numbers
    preparesSaves = entities.contains { !$0.callbacks.isDisjoint(with: [.validates, .saves]) || $0.checksLinks }
    tables = Dictionary(entities.map { ($0.name, $0.number) }, uniquingKeysWith: { first, _ in first })
    writeOrder = Self.writeOrder(entities)
  }

  /// The names of the entities among some that are declared.
  func names(of numbers: some Sequence<Int>) -> Set<String> {
    Set(numbers.filter { $0 < declared.count }.map { entities[$0].name })
  }

  /// The entity whose rows are in a table; `nil` for a table of no entity.
  package func entity(ofTable name: String) -> EntityModel? { tables[name].map { entities[$0] } }

  private static func writeOrder(_ entities: [EntityModel]) -> [Int] {
    var order: [Int] = []
    var seen: Set<Int> = []
    func add(_ number: Int) {
      guard seen.insert(number).inserted else { return }
      for property in entities[number].properties {
        if case .toOne(let target, _, _) = property.kind { add(target) }
      }
      order.append(number)
    }
    for number in entities.indices { add(number) }
    return order
  }

  static func invalid(_ message: String) -> StoreError { StoreError(.invalidSchema, message) }

  /// - Parameter what: The kind of the named thing, for the message: `entity`.
  /// - Throws: ``StoreError`` of kind `invalidSchema`.
  static func checkName(_ name: String, _ what: String) throws {
    let isReserved =
      name.isEmpty || name.hasPrefix("_") || name.lowercased().hasPrefix("sqlite_") || name.contains("\0")
    // `_edited` lists names separated by commas.
    guard !isReserved, !name.contains(",") else {
      throw invalid(
        "'\(name)' can't be the name of an \(what): names may not be empty, start with '_' or 'sqlite_', or "
          + "hold a comma or a NUL.")
    }
  }
}
