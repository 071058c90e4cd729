import EntityJSON

/// The values of the attributes that the URL of an object has beside its uid, as texts by the names of the properties.
package struct ObjectAddress: Sendable, Hashable {
  private var values: [String: String] = [:]

  package init(_ values: [String: String] = [:]) { self.values = values }

  /// Reads the text of a tombstone; `nil` for a text in another form.
  package init?(_ text: String) {
    guard let values = try? JSONValueDecoder().decode([String: String].self, from: text) else { return nil }
    self.values = values
  }

  package subscript(name: String) -> String? {
    get { values[name] }
    set { values[name] = newValue }
  }

  /// The address with other names of the properties.
  func renamed(_ name: (String) -> String) -> ObjectAddress {
    ObjectAddress(Dictionary(values.map { (name($0.key), $0.value) }) { first, _ in first })
  }

  /// The text for a tombstone, with sorted keys, so that equal addresses have equal texts; `nil` for one without values.
  package var text: String? {
    guard !values.isEmpty else { return nil }
    return (try? JSONValueEncoder(format: .sorted).bytes(of: values)).map { String(decoding: $0, as: UTF8.self) }
  }
}
