import EntityJSON
import EntityMacros
import EntityStore

/// JSON of any shape, and sets.
@Entity final class Packet {
  @UID var uid: Int
  var extra: JSONValue?
  var info: JSONValue = ["v": 1]
  var object: JSONObject
  var array: JSONArray
  var maybeObject: JSONObject?
  var list: [JSONValue]
  var tags: Set<String>
  var codes: Set<Int>?
}

/// A later version of the same.
@Entity final class PacketRetyped {
  @UID var uid: Int
  var extra: String?
  var info: JSONValue = ["v": 1]
  var object: JSONObject
  var array: JSONArray
  var maybeObject: JSONObject?
  var list: [JSONValue]
  var tags: Set<String>
  var codes: Set<Int>?

  static let entityName: String = "Packet"
}

/// An earlier version of the same.
@Entity final class PacketBefore {
  @UID var uid: Int

  static let entityName: String = "Packet"
}
