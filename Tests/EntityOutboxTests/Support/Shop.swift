import EntityClient

@Entity final class Customer: OutboxEntity {
  @UID @Key("id") var uid: Int
  var name: String
  var note: String?
  @Relationship(inverse: \Order.customer) var orders: [Order]

  static var basePath: String { "customers" }
}

@Entity final class Order: OutboxEntity {
  @UID @Key("id") var uid: Int
  var number: String
  var note: String?
  var total: Int = 0
  var customer: Customer?
  @Relationship(inverse: \Item.order, onDelete: .cascade) var items: [Item]

  static var basePath: String { "orders" }
}

/// Requires its order.
@Entity final class Item: OutboxEntity {
  @UID @Key("id") var uid: Int
  var text: String
  var order: Order

  static var basePath: String { "items" }
}

/// The server knows its requests by key.
@Entity final class Payment: OutboxEntity {
  @UID @Key("id") var uid: Int
  var amount: Int
  var note: String?

  static var basePath: String { "payments" }
  static var outbox: OutboxRules<Payment> { [.rest, .idempotencyKey()] }
}

/// The server can be asked for a parcel by its code.
@Entity final class Parcel: OutboxEntity {
  @UID @Key("id") var uid: Int
  var code: String
  var note: String?

  static var basePath: String { "parcels" }
  static var outbox: OutboxRules<Parcel> { [.rest, .lookingUp(by: \.code)] }
}

/// The server can be asked for a barrel by its label, where it has one.
@Entity final class Barrel: OutboxEntity {
  @UID @Key("id") var uid: Int
  var label: String?
  var weight: Int

  static var basePath: String { "barrels" }
  static var outbox: OutboxRules<Barrel> { [.rest, .lookingUp(by: \.label)] }
}

/// Has a uid that is made here.
@Entity final class Token: OutboxEntity {
  @UID @Key("id") var uid: String
  var text: String

  static var basePath: String { "tokens" }
  static var outbox: OutboxRules<Token> { [.creating(.put), .updating(.put, carrying: .all)] }
}

let shopEntities: [any ManagedEntity.Type] = [
  Customer.self, Order.self, Item.self, Payment.self, Parcel.self, Barrel.self, Token.self,
]
