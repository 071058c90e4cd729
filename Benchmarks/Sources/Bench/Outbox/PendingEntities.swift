import EntityClient

// Entities with an outbox, which link to one another.

@Entity final class Shopper {
  @UID @Key("id") var uid: Int
  var name: String?
}

@Entity final class Purchase {
  @UID @Key("id") var uid: Int
  var number: String?
  var shopper: Shopper?
}

extension Shopper: OutboxEntity {
  static var basePath: String { "shoppers" }
}
extension Purchase: OutboxEntity {
  static var basePath: String { "purchases" }
}
