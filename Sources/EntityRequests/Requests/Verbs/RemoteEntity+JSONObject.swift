public import EntityJSON
import EntityStore
import Foundation

extension RemoteEntity {
  /// The values of some properties as an object for a request, under their ``requestKeys``, else under the keys of
  /// responses.
  ///
  /// ```swift
  /// try await user.put { try $0.setJSON(user.jsonObject(for: \.email, \.address)) }
  /// // {"address":7,"email":"ada@example.com"}
  /// ```
  ///
  /// Keys are sorted. Dots in keys nest, as when responses are read; `@Key` says how a dot is a part of its key. `nil`
  /// is null. Dates are ISO 8601 in UTC, with a fraction only if there is one. Data is base64. UUIDs are in upper case,
  /// as in rows. An attribute that is stored as JSON is JSON. A transformer turns its value back. A to-one relationship
  /// is the uid of its object. A many-to-many relationship and an ordered to-many relationship are the list of their
  /// uids. An object of an entity without uid is embedded: it is an object with all its properties, except for the link
  /// to its parent and lists that are not ordered. A relationship with such objects is a list of them. Reading the
  /// object back gives the same values.
  ///
  /// - Parameters:
  ///   - keyPaths: The properties.
  ///   - nils: Whether properties without a value are null or left out.
  /// - Throws: ``RequestError`` of kind `invalidRequest` for a key path that names no property of the entity, or names
  ///   a to-many relationship with uids that has no order; for values that JSON can't hold; for two properties that
  ///   can't be sent together, because they have one key and different values, or the key of one leads into the key of
  ///   the other; also within an embedded object; for objects that are embedded in themselves, or more than 64 levels
  ///   deep. `missingUID` for a related object that the server does not know yet, and for a required relationship
  ///   without an object.
  public func jsonObject(for keyPaths: PartialKeyPath<Self>..., nils: NilValues = .sent) throws -> JSONObject {
    try jsonObject(for: keyPaths, nils: nils)
  }

  /// The same for a list of properties that is made at run time.
  ///
  /// - Parameters:
  ///   - keyPaths: The properties.
  ///   - nils: Whether properties without a value are null or left out.
  public func jsonObject(for keyPaths: [PartialKeyPath<Self>], nils: NilValues = .sent) throws -> JSONObject {
    let sender = ObjectSender(of: self, nils: nils)
    let model = sender.model(of: self)
    let properties = try keyPaths.map { keyPath in
      guard let index = model.index(of: keyPath) else {
        throw RequestError(.invalidRequest, "A key path is not one of the properties that '\(model.name)' stores.")
      }
      guard !model.properties[index].isDerived else {
        throw RequestError(
          .invalidRequest,
          "'\(model.name).\(model.properties[index].name)' is derived: the server has no such property.")
      }
      return model.properties[index]
    }
    return try sender.object(self, model, properties)
  }

  /// The body of a verb that sends properties.
  func sentObject(for keyPaths: [PartialKeyPath<Self>]) throws -> JSONObject {
    Self.rooted(try jsonObject(for: keyPaths))
  }

  /// An object under ``requestRootKey``.
  static func rooted(_ object: JSONObject) -> JSONObject {
    requestRootKey.map { JSONObject(nesting: [($0, object.value)]) } ?? object
  }
}

/// Which property is sent under which key.
struct KeyClaims {
  let entity: String
  private var claims: [JSONKeyPath: (name: String, key: String, value: JSONValue)] = [:]

  init(entity: String) { self.entity = entity }

  mutating func add(_ name: String, _ key: String, _ value: JSONValue) throws {
    guard let other = claims.updateValue((name, key, value), forKey: JSONKeyPath(key)), other.value != value else {
      return
    }
    throw RequestError(
      .invalidRequest,
      "'\(entity).\(other.name)' and '\(entity).\(name)' have the key \"\(key)\" both, and different values.")
  }

  /// A key can't have both a value of its own and keys in it.
  func checkPaths() throws {
    for (path, claim) in claims.sorted(by: { $0.value.key < $1.value.key }) {
      for ancestor in path.ancestors {
        guard let other = claims[ancestor] else { continue }
        throw RequestError(
          .invalidRequest,
          "The key \"\(claim.key)\" of '\(entity).\(claim.name)' leads into \"\(other.key)\", which is that of "
            + "'\(entity).\(other.name)'.")
      }
    }
  }
}

extension JSONObject {
  /// An object of key paths: dots nest, unless a backslash makes a dot a part of its key. No path leads through a key
  /// that has a value of its own.
  init(nesting fields: [(key: String, value: JSONValue)]) {
    var root = Branch()
    for (key, value) in fields.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
      root.insert(JSONKeyPath(key).keys[...], value)
    }
    self = root.object
  }

  private struct Branch {
    var values: [String: JSONValue] = [:]
    var branches: [String: Branch] = [:]

    mutating func insert(_ path: ArraySlice<String>, _ value: JSONValue) {
      guard let first = path.first else { return }
      guard path.count > 1 else {
        values[first] = value
        return
      }
      branches[first, default: Branch()].insert(path.dropFirst(), value)
    }

    var object: JSONObject {
      JSONObject(values.merging(branches.mapValues(\.object.value)) { value, _ in value })
    }
  }
}
