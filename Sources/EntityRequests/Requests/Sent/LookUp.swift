import EntityJSON
package import EntityStore
import Foundation
package import HTTPFoundation

/// A question for the object of a create whose answer was lost: which object of the collection has the value that was
/// sent?
package struct LookUp: Sendable {
  package let request: URLRequest
  let property: PropertyModel
  let text: String

  /// Whether an object in the answer may be the one. A server that does not know the parameter answers with any object. A
  /// server may also change the case of a text, and its spaces.
  func mayBe(_ object: JSONValue) -> Bool {
    guard case .attribute(let type, _) = property.kind, let value = object[property.key] else { return true }
    switch type {
    case .string, .integer, .uuid:
      guard let found = value.string ?? value.lexeme else { return !value.isNull }
      return Self.plain(found) == Self.plain(text)
    // One value has several texts.
    default: return true
    }
  }

  private static func plain(_ text: String) -> String {
    text.trimmingCharacters(in: .whitespacesAndNewlines).lowercased()
  }
}

extension RemoteEntity {
  /// The question for the object by the value of a property.
  ///
  /// - Parameters:
  ///   - parameter: The name in the query; by default the key of the property.
  ///   - sent: The edits that the create carried. The property may have been edited since.
  /// - Throws: ``RequestError`` of kind `invalidRequest` for a property that the create did not carry, and for one that
  ///   has no single value.
  package func lookUp(
    by property: PartialKeyPath<Self>, as parameter: String?, sent: SentEdits?, _ client: Client
  ) throws -> LookUp {
    let model = _$state.model
    guard let index = model.index(of: property) else {
      throw RequestError(.invalidRequest, "A key path is not one of the properties that '\(model.name)' stores.")
    }
    let property = model.properties[index]
    guard let sent, sent.values.mask.contains(index) else {
      throw RequestError(
        .invalidRequest,
        "The create did not carry '\(model.name).\(property.name)', so that nothing tells what to look for.")
    }
    var value = try exported(property)
    if case .attribute = property.kind { value = try exportedAttribute(property, sent.values[index]) }
    guard let text = Self.text(value) else {
      throw RequestError(.invalidRequest, "'\(model.name).\(property.name)' has no single value to look for.")
    }
    var query = QueryParameters()
    query.append(try parameter ?? RequestKeys(model)[property], text)
    let builder = RequestBuilder(client: client)
    let request = try builder.request(Self.self, .get, builder.url(Self.self, nil, query: query))
    return LookUp(request: request, property: property, text: text)
  }

  /// The value of an attribute as a text; `nil` for no value, and for one that is no single value.
  package func exportedText(_ index: Int) throws -> String? {
    Self.text(try exported(_$state.model.properties[index]))
  }

  private static func text(_ value: JSONValue) -> String? {
    value.string ?? value.lexeme ?? value.bool.map { "\($0)" }
  }
}
