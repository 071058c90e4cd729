import EntityJSON
import Foundation

// The JSON of `sent` and `kept`: an object with values by the names of properties.

extension OutboxEntry {
  /// The names of the properties in a text of JSON; none for a text that is no object.
  package static func properties(in text: String?) -> [String] {
    text.flatMap { try? JSONObject(parsing: Data($0.utf8)) }?.keys ?? []
  }

  /// A text of JSON that has properties without values; `nil` for none.
  package static func names(_ names: [String]) -> String? {
    guard !names.isEmpty else { return nil }
    let fields = Dictionary(names.map { ($0, JSONObject([String: JSONValue]()).value) }) { $1 }
    return String(decoding: JSONObject(fields).data(format: .sorted), as: UTF8.self)
  }

  /// Takes the request out, so that the next one is made anew. An update before a command has the same properties then.
  package mutating func forgetRequest() {
    sent = kind == .update ? Self.names(Self.properties(in: sent)) : nil
    (request, body, idempotencyKey) = (nil, nil, nil)
  }

  /// Whether a request holds for one version of its object.
  static func isConditional(_ request: String?) -> Bool {
    guard let object = request.flatMap({ try? JSONObject(parsing: Data($0.utf8)) }) else { return false }
    return object["ifMatch"] != nil || object["hasVersion"] != nil
  }

  /// A text of JSON with other names and values.
  ///
  /// - Parameter change: The new name and value of each; `nil` where it goes.
  /// - Returns: `nil` for a text that is no object.
  static func changing(
    _ text: String, _ change: (String, JSONValue) -> (name: String, value: JSONValue)?
  ) -> String? {
    guard let object = try? JSONObject(parsing: Data(text.utf8)) else { return nil }
    var fields: [String: JSONValue] = [:]
    for (name, value) in object {
      if let changed = change(name, value) { fields[changed.name] = changed.value }
    }
    return String(decoding: JSONObject(fields).data(format: .sorted), as: UTF8.self)
  }
}
