import EntityClient
import EntityTesting
import Testing

// Objects of a server that is not to be trusted: mapped by declaration and by hand.

@Entity final class Cargo: RemoteEntity {
  @UID @Key("id") var uid: Int
  var label: String
  var weight: Int
  @Unique var code: String?
  var isPinned: Bool?
  var depot: Depot?
  @Relationship(inverse: \Halt.cargo, onDelete: .cascade) var halts: [Halt]
  var wrap: Wrap?

  static var basePath: String { "cargos" }
  static func staysWhenMissing(_ row: QueryRow<Cargo>) -> EntityPredicate? { row.isPinned == true }
}

/// Stands on the way of a cargo, and requires it.
@Entity final class Halt: RemoteEntity {
  @UID @Key("id") var uid: Int
  var place: String?
  var cargo: Cargo

  static var basePath: String { "halts" }
}

@Entity final class Depot: RemoteEntity {
  @UID @Key("id") var uid: Int
  var name: String?

  static var basePath: String { "depots" }
}

/// Has no uid: it lives in its cargo.
@Entity final class Wrap {
  var color: String
}

@Entity final class HandCargo: RemoteEntity {
  @UID @Key("id") var uid: Int
  var label: String
  var weight: Int
  @Unique var code: String?
  var depot: Depot?

  static var basePath: String { "handcargos" }

  func update(with response: ResponseObject) throws {
    try response.assign("label", to: &label)
    try response.assign("weight", to: &weight)
    try response.assign("code", to: &code)
    try response.assign("depot", to: &depot)
  }
}

let cargoEntities: [any ManagedEntity.Type] = [
  Cargo.self, Halt.self, Depot.self, Wrap.self, HandCargo.self,
]

/// A store of cargos, in memory.
func cargos() throws -> EntityStore {
  try EntityStore(.inMemory, entities: cargoEntities, busyTimeout: .seconds(60))
}

extension Trait where Self == ClientTrait {
  static var cargos: Self { .client(entities: cargoEntities) }
}

/// The members of both kinds of cargos that the tests use.
protocol AnyCargo: RemoteEntity {
  var uid: Int { get set }
  var label: String { get set }
  var weight: Int { get set }
  var code: String? { get set }
  var depot: Depot? { get set }
}

extension Cargo: AnyCargo {}
extension HandCargo: AnyCargo {}

extension EntityStore {
  /// The objects in the order of their uids, as texts.
  func lines<E: AnyCargo>(_ type: E.Type) async throws -> [String] {
    try await read { context in
      try context.fetch(E.self).sorted { $0.uid < $1.uid }.map {
        "\($0.uid) \($0.label) \($0.weight)" + ($0.code.map { " \($0)" } ?? "")
      }
    }
  }

  func uids(_ type: Cargo.Type) async throws -> [Int] {
    try await read { try $0.fetch(Cargo.self).map(\.uid).sorted() }
  }
}

/// A list of cargos.
func cargoList(_ uids: some Sequence<Int>) -> JSONValue {
  JSONValue(uids.map { ["id": JSONValue($0), "label": JSONValue("p\($0)"), "weight": 1] as JSONValue })
}
