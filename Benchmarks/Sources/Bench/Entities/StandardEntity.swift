import EntityClient
import Foundation

/// A user of the standard work, whichever way its responses become its properties.
///
/// All of them have the same tables, `User` and `Address`.
protocol StandardUser: RemoteEntity, UserColumns {
  associatedtype Home: StandardAddress

  var uid: Int { get }
  var score: Double { get set }
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
