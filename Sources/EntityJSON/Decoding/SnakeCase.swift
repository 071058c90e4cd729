import Foundation

/// Keys in snake case, by the rules of `convertFromSnakeCase` of Foundation's decoder.
enum SnakeCase {
  /// Removes the underscores between words, capitalizes each word after the first, and puts the first in lower case.
  /// Underscores at the ends stay, and so does a key without an underscore between words.
  static func camelCase(_ key: String) -> String {
    guard let first = key.firstIndex(where: { $0 != "_" }), let last = key.lastIndex(where: { $0 != "_" }) else {
      return key
    }
    let words = key[first...last].split(separator: "_")
    guard words.count > 1 else { return key }
    let joined = words[0].lowercased() + words.dropFirst().map(\.capitalized).joined()
    return key[..<first] + joined + key[key.index(after: last)...]
  }
}
