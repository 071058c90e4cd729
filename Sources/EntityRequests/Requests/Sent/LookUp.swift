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
    // One value of another type has several texts.
    guard type.facts.canBeUID else { return true }
    guard let found = value.string ?? value.lexeme else { return !value.isNull }
    return Self.plain(found) == Self.plain(text)
  }

  private static func plain(_ text: String) -> String {
    text.trimmingCharacters(in: .whitespacesAndNewlines).lowercased()
  }
}

/// Where the value that is looked for stands in the URL of the question.
package enum LookUpPlace: Sendable {
  /// In a parameter of the collection's query; `nil` for one with the key of the property.
  case parameter(String?)
  /// In a URL of this form, which has the property's name in braces.
  case template(String)
}

extension RequestBuilder {
  /// - Throws: ``RequestError``: `invalidRoute` for a template that has another parameter than the property, or leads to
  ///   another origin than the collection; `invalidRequest` for a value that the URL can't hold.
  fileprivate func lookUpURL<E: RemoteEntity>(
    _ type: E.Type, _ text: String, _ property: String, _ value: String
  ) throws -> URL {
    let title = "The URL that looks up '\(E.entityName).\(property)', '\(text.escaped)',"
    let template = try URLTemplate(text)
    guard template.names == [property] else {
      throw RequestError(
        .invalidRoute,
        "\(title) can't be used: write '{\(property)}' where the value stands, and no other parameter.")
    }
    return try url(type, template, [property: value], title: title).url()
  }
}

extension RemoteEntity {
  /// Checks the place of a value in the URL of a question: the first question may come months later.
  ///
  /// - Throws: ``RequestError`` of kind `invalidRoute` for a template that can't be used.
  package static func checkLookUp(by property: PropertyModel, _ place: LookUpPlace, _ client: Client) throws {
    guard case .template(let template) = place else { return }
    _ = try RequestBuilder(client: client).lookUpURL(Self.self, template, property.name, "1")
  }

  /// The question for an object by the value of a property.
  ///
  /// - Parameters:
  ///   - object: `nil` for an object that was deleted here.
  ///   - place: Where the value stands in the URL.
  ///   - sent: The edits that the create carried. The property may have been edited since.
  /// - Throws: ``RequestError``: `invalidRequest` for a property that the create did not carry, and for one that has no
  ///   single value, or none that the URL can hold; `invalidRoute` for a template that can't be used.
  package static func lookUp(
    _ object: Self?, by property: PropertyModel, _ place: LookUpPlace, sent: SentEdits?, _ model: EntityModel,
    _ client: Client
  ) throws -> LookUp {
    let name = "\(model.name).\(property.name)"
    guard let sent, sent.values.mask.contains(property.index) else {
      throw RequestError(
        .invalidRequest, "The create did not carry '\(name)', so that nothing tells what to look for.")
    }
    let value: JSONValue
    if case .attribute = property.kind {
      value = try exportedAttribute(property, sent.values[property.index])
    } else if let object {
      value = try object.exported(property)
    } else {
      throw RequestError(
        .invalidRequest, "The object was deleted here, and nothing tells the target of '\(name)' to look for.")
    }
    guard let text = text(value) else {
      throw RequestError(.invalidRequest, "'\(name)' has no single value to look for.")
    }
    let builder = RequestBuilder(client: client)
    let url: URL
    switch place {
    case .parameter(let name):
      var query = QueryParameters()
      query.append(try name ?? RequestKeys(model)[property], text)
      url = try builder.url(Self.self, nil, query: query)
    case .template(let template): url = try builder.lookUpURL(Self.self, template, property.name, text)
    }
    return LookUp(request: try builder.request(Self.self, .get, url), property: property, text: text)
  }

  /// The value of an attribute as a text; `nil` for no value, and for one that is no single value.
  package func exportedText(_ index: Int) throws -> String? {
    Self.text(try exported(_$state.model.properties[index]))
  }

  private static func text(_ value: JSONValue) -> String? {
    value.string ?? value.lexeme ?? value.bool.map { "\($0)" }
  }
}
