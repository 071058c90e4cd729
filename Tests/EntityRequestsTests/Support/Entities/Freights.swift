import EntityClient
import Foundation

// JSON of any shape, sets and days, once mapped by declaration and once by hand.

protocol AnyFreight: RemoteEntity {
  var uid: Int { get set }
  var extra: JSONValue? { get set }
  var info: JSONValue { get set }
  var object: JSONObject { get set }
  var array: JSONArray { get set }
  var tags: Set<String> { get set }
  var day: Date? { get set }
  var firstDay: Date { get set }
  /// The key paths of an entity are those of its own class, and not of this protocol.
  static var keyPaths: [PartialKeyPath<Self>] { get }
  static var edited: [PartialKeyPath<Self>] { get }
}

@Entity final class Freight: AnyFreight {
  @UID @Key("id") var uid: Int
  var extra: JSONValue?
  var info: JSONValue = [:]
  var object: JSONObject
  var array: JSONArray
  var tags: Set<String>
  @Transformed(by: DateOnly.self) var day: Date?
  @Transformed(by: DateOnly.self) var firstDay: Date

  static var basePath: String { "freights" }
  static var keyPaths: [PartialKeyPath<Freight>] { [\.extra, \.info, \.object, \.array, \.tags, \.day, \.firstDay] }
  static var edited: [PartialKeyPath<Freight>] { [\.extra, \.tags, \.day] }
}

@Entity final class HandFreight: AnyFreight {
  @UID @Key("id") var uid: Int
  var extra: JSONValue?
  var info: JSONValue = [:]
  var object: JSONObject
  var array: JSONArray
  var tags: Set<String>
  @Transformed(by: DateOnly.self) var day: Date?
  @Transformed(by: DateOnly.self) var firstDay: Date

  static var basePath: String { "freights" }
  static var keyPaths: [PartialKeyPath<HandFreight>] {
    [\.extra, \.info, \.object, \.array, \.tags, \.day, \.firstDay]
  }
  static var edited: [PartialKeyPath<HandFreight>] { [\.extra, \.tags, \.day] }

  func update(with response: ResponseObject) throws {
    try response.assign("extra", to: &extra)
    try response.assign("info", to: &info)
    try response.assign("object", to: &object)
    try response.assign("array", to: &array)
    try response.assign("tags", to: &tags)
    try response.assign("day", to: &day)
    try response.assign("first_day", to: &firstDay)
  }
}
