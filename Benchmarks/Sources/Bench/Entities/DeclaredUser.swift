import EntityClient
import Foundation

/// A user that is mapped as its properties are declared.
@Entity final class DeclaredUser {
  @UID @Key("id") var uid: Int
  var email: String?
  @Key("first") var firstName: String?
  @Key("last") var lastName: String?
  var age: Int = 0
  var score: Double = 0
  var active: Bool = false
  var createdAt: Date?
  var bio: String?
  var address: DeclaredAddress?
}

extension DeclaredUser: StandardUser, OutboxEntity {}

@Entity final class DeclaredAddress {
  @UID @Key("id") var uid: Int
  var street: String?
  var city: String?
  var state: String?
  var zip: String?
}

extension DeclaredAddress: StandardAddress {}
