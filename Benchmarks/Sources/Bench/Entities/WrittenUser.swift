import EntityClient
import Foundation

/// A user whose update is written by hand.
@Entity final class WrittenUser {
  @UID @Key("id") var uid: Int
  var email: String?
  @Key("first") var firstName: String?
  @Key("last") var lastName: String?
  var age: Int = 0
  var score: Double = 0
  var active: Bool = false
  var createdAt: Date?
  var bio: String?
  var address: WrittenAddress?
}

extension WrittenUser: StandardUser {
  func update(with response: ResponseObject) throws {
    try response.assign("email", to: &email)
    try response.assign("first", to: &firstName)
    try response.assign("last", to: &lastName)
    try response.assign("age", to: &age)
    try response.assign("score", to: &score)
    try response.assign("active", to: &active)
    try response.assign("created_at", to: &createdAt)
    try response.assign("bio", to: &bio)
    try response.assign("address", to: &address)
  }
}

@Entity final class WrittenAddress {
  @UID @Key("id") var uid: Int
  var street: String?
  var city: String?
  var state: String?
  var zip: String?
}

extension WrittenAddress: StandardAddress {
  func update(with response: ResponseObject) throws {
    try response.assign("street", to: &street)
    try response.assign("city", to: &city)
    try response.assign("state", to: &state)
    try response.assign("zip", to: &zip)
  }
}

/// The same, with an address that is mapped as its properties are declared.
@Entity final class MixedUser {
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

extension MixedUser: StandardUser {
  func update(with response: ResponseObject) throws {
    try response.assign("email", to: &email)
    try response.assign("first", to: &firstName)
    try response.assign("last", to: &lastName)
    try response.assign("age", to: &age)
    try response.assign("score", to: &score)
    try response.assign("active", to: &active)
    try response.assign("created_at", to: &createdAt)
    try response.assign("bio", to: &bio)
    try response.assign("address", to: &address)
  }
}
