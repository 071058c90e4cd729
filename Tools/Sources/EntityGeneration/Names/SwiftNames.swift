/// The names of Swift that are taken: by the language, by what a generated file imports, and by the members of entities.
enum SwiftNames {
  /// - Returns: The name as it is written in a declaration.
  static func quoted(_ name: String) -> String { keywords.contains(name) ? "`\(name)`" : name }

  /// The name of a property of an entity or a struct for a key; `nil` for a key without any word.
  static func property(_ key: String) -> String? {
    var name = Words.lowerCamel(key)
    guard !name.isEmpty else { return nil }
    if isOfEntities(name) { name += "Value" }
    return name
  }

  /// Whether no property can have a name, which entities or SQLite have.
  static func isOfEntities(_ name: String) -> Bool { members.contains(name) || name.hasPrefix("sqlite") }

  /// The key that the style of a store makes of a name: the same as `KeyStyle.snakeCase`.
  static func snakeCase(_ name: String) -> String {
    let characters = Array(name)
    var key = ""
    for (index, character) in characters.enumerated() {
      if character.isUppercase {
        let followsLower = index > 0 && !characters[index - 1].isUppercase
        let startsWord = index > 0 && index + 1 < characters.count && characters[index + 1].isLowercase
        if (followsLower || startsWord) && !key.hasSuffix("_") { key += "_" }
        key += character.lowercased()
      } else {
        key.append(character)
      }
    }
    return key
  }

  static let keywords: Set<String> = [
    "associatedtype", "class", "deinit", "enum", "extension", "fileprivate", "func", "import", "inout", "internal",
    "let",
    "open", "operator", "private", "precedencegroup", "protocol", "public", "rethrows", "static", "struct", "subscript",
    "typealias", "var", "break", "case", "catch", "continue", "default", "defer", "do", "else", "fallthrough", "for",
    "guard", "if", "in", "repeat", "return", "throw", "switch", "where", "while", "as", "false", "is", "nil", "super",
    "throws", "true", "try",
  ]

  /// Members of every entity, and names that need more than backticks.
  static let members: Set<String> = [
    "entityID", "entityContext", "isDeleted", "forwardedTo", "isInserted", "hasChanges", "isPlaceholder", "isDetached",
    "hasUID", "isSending", "isUnreadable", "loaded", "sendState", "pendingColumns", "snapshot", "hash", "hashValue",
    "debugDescription",
    "customMirror", "unrecognizedValue", "get", "post", "put", "patch", "delete", "head", "update", "request",
    "resource",
    "jsonObject", "sending", "patchPending", "postPending", "pendingJSONObject", "assignDeclared", "remove", "add",
    "columns", "properties", "init", "self", "uid", "observe", "writable", "load", "await", "upsert", "any",
  ]
}
