/// All that is generated from a document, as values: the output is written from it, and two of them are compared.
struct SchemaModel: Codable, Equatable {
  var title: String
  var version: String
  var baseURL: String?
  /// `snakeCase` or `asWritten`.
  var keyStyle: String
  /// The prefix of names that are Swift's, and the name of the list of entities.
  var prefix: String
  var entities: [Entity] = []
  var structs: [Struct] = []
  var enums: [Enumeration] = []
  /// The requests at no entity.
  var requests: [Call] = []
}

/// `entity-gen.json` may be of an earlier version of the tool, whose model lacks what has come since: none of it was there. The
/// synthesized decoding of the types below finds these functions before those of the standard library.
extension KeyedDecodingContainer {
  fileprivate func decode<T: Decodable>(_ type: [T].Type, forKey key: Key) throws -> [T] {
    try decodeIfPresent(type, forKey: key) ?? []
  }

  fileprivate func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
    try decodeIfPresent(type, forKey: key) ?? false
  }
}

extension SchemaModel {
  /// The names of types in a type, as `Place` in `[String: Place]`.
  static func names(in type: String) -> [String] {
    type.matches(of: /[A-Za-z_][A-Za-z0-9_]*/).map { String($0.output) }
  }

  static func elementType(of type: String) -> String {
    let type = type.trimmingSuffix("?")
    return type.hasPrefix("[") && type.hasSuffix("]") ? String(type.dropFirst().dropLast()) : type
  }

  struct Entity: Codable, Equatable {
    var name: String
    /// The name in the document, where it is another one.
    var documentName: String
    /// The names in Swift that earlier runs gave it.
    var formerNames: [String] = []
    var documentation: String?
    var properties: [Property] = []
    /// The names of properties that former versions of the document had.
    var removed: [String] = []
    /// Key paths of properties for which no column is left.
    var leftOut: [String] = []
    var requests: Requests?

    var uidType: String { properties.first { $0.role == .uid }?.type ?? "String" }
  }

  struct Property: Codable, Equatable {
    enum Role: String, Codable { case uid, attribute, toOne, toMany }

    var name: String
    var keyPath: String
    /// Without `?`.
    var type: String
    var role: Role
    var isOptional: Bool
    var transformer: String?
    /// The property on the other side of a list, as `Task.project`.
    var inverse: String?
    /// The question for a person; `nil` where the document decides.
    var choose: String?
    var documentation: String?
    var isDeprecated = false

    /// The element of an array, or the type itself.
    var elementType: String { SchemaModel.elementType(of: type) }
    var fullType: String { isOptional ? type + "?" : type }
  }

  struct Struct: Codable, Equatable {
    var name: String
    var documentation: String?
    var properties: [Field] = []

    struct Field: Codable, Equatable {
      var name: String
      var key: String
      var type: String

      /// The element of an array, or the type itself.
      var elementType: String { SchemaModel.elementType(of: type) }
    }
  }

  struct Enumeration: Codable, Equatable {
    var name: String
    var cases: [Case]

    struct Case: Codable, Equatable {
      var name: String
      var rawValue: String
    }
  }
}

extension SchemaModel {
  /// The requests of an entity.
  struct Requests: Codable, Equatable {
    var basePath: String
    /// Why a person should look at the path.
    var choose: String?
    var objectPath: String?
    /// Key paths; `nil` for the whole body.
    var listEnvelope: String?
    var itemEnvelope: String?
    var requestRootKey: String?
    /// Swift names of properties, and their keys in requests.
    var requestKeys: [KeyedName] = []
    var routes: [KeyedName] = []
    var writable: [String] = []
    /// The properties of the uid that the body of a POST requires.
    var identifying: [String] = []
    var calls: [Call] = []
    /// Operations at the path or below it for which no function was written, with the reason.
    var others: [String] = []
  }

  struct KeyedName: Codable, Equatable {
    var name: String
    var key: String
  }

  struct Call: Codable, Equatable {
    enum Kind: String, Codable { case pages, list, item, itemByUID, create, update, action, value }

    var kind: Kind
    var name: String
    /// `GET /tasks/{task_id}`
    var operation: String
    var summary: String?
    var isDeprecated = false
    /// The resource below or beside the base path, with `{name}` for parameters; `nil` for the base path itself.
    var resource: String?
    /// Whether the resource is beside the base path.
    var isOutside: Bool { resource?.hasPrefix("../") == true }
    var parameters: [Parameter] = []
    /// Swift code of the pagination, with `size` for its argument.
    var pagination: String?
    /// The default of the argument for the size of a page, with its name.
    var size: KeyedName?
    /// Key path where it is not the entity's.
    var envelope: String?
    var method: String
    /// The lists that stand beside that of the entity.
    var parts: [Part] = []
    /// The segments behind the object of an action, whose parameters are the body; empty for what is no function of an object.
    var segments: [String] = []
    /// The type of a response that is a value.
    var value: String?
  }

  /// A list beside that of an entity, or of a response without such a list.
  struct Part: Codable, Equatable {
    var keyPath: String
    /// The key that tells objects of several entities apart.
    var key: String?
    /// The entities, with the values of that key.
    var types: [KeyedName]
  }

  struct Parameter: Codable, Equatable {
    var name: String
    var key: String
    /// Without `?`.
    var type: String
    var isOptional: Bool
    var isInPath: Bool
    var isInBody = false
    /// Whether the value of a query is the raw value of an enum.
    var isEnum = false
  }
}
