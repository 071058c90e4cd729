/// The keys of a key path, from the outermost: `address.city` is the key `city` of the object under `address`. A dot
/// after a backslash is part of its key: `lamp\.enabled` is one key, `lamp.enabled`.
package struct JSONKeyPath: Hashable, Sendable {
  package let keys: [String]

  package init(_ text: String) {
    guard text.utf8.contains(UInt8(ascii: "\\")) else {
      keys = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
      return
    }
    var keys = [""]
    var isEscaped = false
    for character in text.unicodeScalars {
      if character == ".", !isEscaped {
        keys.append("")
        continue
      }
      if isEscaped, character != "." { keys[keys.count - 1].unicodeScalars.append("\\") }
      isEscaped = character == "\\" && !isEscaped
      if !isEscaped { keys[keys.count - 1].unicodeScalars.append(character) }
    }
    if isEscaped { keys[keys.count - 1].unicodeScalars.append("\\") }
    self.keys = keys
  }

  package init(keys: [String]) { self.keys = keys }

  /// The paths through which this one leads, from the shortest.
  package var ancestors: [JSONKeyPath] { (1..<max(1, keys.count)).map { JSONKeyPath(keys: Array(keys.prefix($0))) } }
}
