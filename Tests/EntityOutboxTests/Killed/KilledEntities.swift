import EntityClient

/// The server knows creates by their keys.
@Entity final class Receipt: KilledEntity {
  @UID @Key("id") var uid: Int
  var token: String
  var note: String?

  static var basePath: String { "receipts" }
  static var outbox: OutboxRules<Receipt> { [.rest, .idempotencyKey()] }
  static func with(_ token: String) -> EntityQuery<Receipt> { Receipt.where { $0.token == token } }
}

/// The server can be asked for an object by its token.
@Entity final class Bill: KilledEntity {
  @UID @Key("id") var uid: Int
  var token: String
  var note: String?

  static var basePath: String { "bills" }
  static var outbox: OutboxRules<Bill> { [.rest, .lookingUp(by: \.token)] }
  static func with(_ token: String) -> EntityQuery<Bill> { Bill.where { $0.token == token } }
}

/// A person says what became of a create whose answer was lost.
@Entity final class Slip: KilledEntity {
  @UID @Key("id") var uid: Int
  var token: String
  var note: String?

  static var basePath: String { "slips" }
  static func with(_ token: String) -> EntityQuery<Slip> { Slip.where { $0.token == token } }
}

protocol KilledEntity: OutboxEntity {
  var token: String { get set }
  var note: String? { get set }
  static func with(_ token: String) -> EntityQuery<Self>
}

let killedEntities: [any ManagedEntity.Type] = [Receipt.self, Bill.self, Slip.self]
