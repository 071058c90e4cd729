import EntityClient
import Foundation

/// A user of the standard work, whichever way its responses become its properties.
///
/// All of them have the same tables, `User` and `Address`.
protocol StandardUser: RemoteEntity {
  associatedtype Home: StandardAddress

  var uid: Int { get }
  var email: String? { get }
  var firstName: String? { get }
  var lastName: String? { get }
  var age: Int { get }
  var score: Double { get set }
  var active: Bool { get }
  var createdAt: Date? { get }
  var bio: String? { get }
  var address: Home? { get }
}

extension StandardUser {
  static var basePath: String { "users" }
  static var entityName: String { "User" }
}

protocol StandardAddress: RemoteEntity {
  var uid: Int { get }
  var street: String? { get }
  var city: String? { get }
  var state: String? { get }
  var zip: String? { get }
}

extension StandardAddress {
  static var basePath: String { "addresses" }
  static var entityName: String { "Address" }
}
