import EntityJSON
package import EntityStore
package import HTTPFoundation

/// A question for the object of a create whose answer was lost.
package struct ObjectLookUp: Sendable {
  package let request: URLRequest
  package let value: Value

  /// The value of the property that was asked for.
  package struct Value: Sendable {
    /// The key of the property in responses.
    let key: String
    let text: String

    /// Whether an object of a response can have the value. A server may change the case of letters, and may leave the
    /// property out.
    func isPossible(in object: JSONValue) -> Bool {
      guard let found = object[key]?.textOfScalar else { return true }
      return found.lowercased() == text.lowercased()
    }
  }
}

extension RemoteEntity {
  /// The value of an attribute as a text; `nil` for no value, and for one that is no single value.
  ///
  /// - Parameter value: A value of the attribute; `nil` for the one that the object has.
  package func exportedText(_ index: Int, _ value: StoredValue? = nil) throws -> String? {
    let property = _$state.model.properties[index]
    let value = try value.map { try exportedAttribute(property, $0) } ?? exported(property)
    return value.textOfScalar
  }

  /// The request that finds the object in its collection by the value of a property.
  ///
  /// - Parameters:
  ///   - parameter: The name in the query; by default the key of the property.
  ///   - sent: The edits that the create carried. The object may have been edited since then.
  /// - Throws: ``RequestError`` of kind `invalidRequest` for a property that has no single value, or none here.
  package func lookUpRequest(
    by property: PartialKeyPath<Self>, as parameter: String?, sent: SentEdits?, _ client: Client
  ) throws -> ObjectLookUp {
    let model = _$state.model
    guard let index = model.index(of: property) else {
      throw RequestError(.invalidRequest, "A key path is not one of the properties that '\(model.name)' stores.")
    }
    let value = sent.flatMap { $0.values.mask.contains(index) ? $0.values[index] : nil }
    guard let text = try exportedText(index, value) else {
      throw RequestError(
        .invalidRequest, "'\(model.name).\(model.properties[index].name)' has no single value to look for.")
    }
    var query = QueryParameters()
    query.append(try parameter ?? RequestKeys(model)[model.properties[index]], text)
    let builder = RequestBuilder(client: client)
    return ObjectLookUp(
      request: try builder.request(Self.self, .get, builder.url(Self.self, nil, query: query)),
      value: ObjectLookUp.Value(key: model.properties[index].key, text: text))
  }
}

extension JSONValue {
  /// The text of a string, a number or a Bool.
  fileprivate var textOfScalar: String? { string ?? lexeme ?? bool.map { "\($0)" } }
}
