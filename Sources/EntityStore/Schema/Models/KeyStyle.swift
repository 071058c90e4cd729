/// How the name of a property becomes its key in responses, where the property declares no key.
public struct KeyStyle: Sendable {
  let key: @Sendable (String) -> String

  /// `createdAt` is read from `created_at`, `imageURL` from `image_url`.
  public static let snakeCase = KeyStyle { name in
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

  /// The property's unchanged name.
  public static let asWritten = KeyStyle { $0 }

  public static func custom(_ key: @escaping @Sendable (String) -> String) -> KeyStyle { KeyStyle(key: key) }
}
