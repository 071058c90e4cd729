import EntityClient
import Foundation

/// An entity with an attribute of each kind and a String for its uid.
@Entity final class Specimen: RemoteEntity {
  @UID @Key("id") var uid: String
  var flag: Bool?
  var small: Int8
  var big: UInt64
  var ratio: Double?
  var text: String?
  var blob: Data?
  var foundAt: Date?
  var token: UUID?
  @Key("place.city") var city: String?
  @Key("place.street") var street: String?

  static var basePath: String { "specimens" }
}
