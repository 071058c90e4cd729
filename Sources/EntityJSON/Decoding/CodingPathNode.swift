/// A coding path as a list that grows at its end: containers share their beginnings, and the array is made only for
/// errors.
final class CodingPathNode {
  private let parent: CodingPathNode?
  private let key: (any CodingKey)?
  /// The position in an array, where there is no key. Decoding an array increases it in one node.
  var position: Int

  init(_ parent: CodingPathNode?, _ key: any CodingKey) {
    self.parent = parent
    self.key = key
    position = 0
  }

  init(_ parent: CodingPathNode?, position: Int) {
    self.parent = parent
    key = nil
    self.position = position
  }

  var keys: [any CodingKey] {
    var keys: [any CodingKey] = []
    var node: CodingPathNode? = self
    while let current = node {
      keys.append(current.key ?? PlainCodingKey(position: current.position))
      node = current.parent
    }
    return keys.reversed()
  }
}

extension CodingPathNode? {
  var keys: [any CodingKey] { self?.keys ?? [] }
}

/// A key without a `CodingKey` type of the caller.
struct PlainCodingKey: CodingKey {
  let stringValue: String
  let intValue: Int?

  init(stringValue: String) {
    self.stringValue = stringValue
    intValue = nil
  }

  /// The key of a dictionary. A key that looks like an integer also has the integer, as in the standard library.
  init(dictionaryKey: String) {
    stringValue = dictionaryKey
    intValue = Int(dictionaryKey)
  }

  init(intValue: Int) {
    stringValue = String(intValue)
    self.intValue = intValue
  }

  init(position: Int) {
    stringValue = "Index \(position)"
    intValue = position
  }

  static let `super` = PlainCodingKey(stringValue: "super")
}
