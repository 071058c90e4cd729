import EntityJSON

/// Where a streamed body has its list: the array whose elements arrive, and the way from an element to its objects.
struct StreamedPath: Sendable {
  /// The key path of the array; `nil` when the array is the whole body.
  let array: String?
  private let element: JSONKeyPath?

  /// - Parameter list: The key path of the list. A list behind an index, or of a map, has no array that could be streamed:
  ///   the body is then taken in as a whole.
  init(_ list: String?) {
    guard let list, let (keys, element) = JSONKeyPath(list).elements else {
      array = list
      self.element = nil
      return
    }
    array = keys.isEmpty ? nil : keys.joined(separator: ".")
    self.element = element
  }

  /// The objects of some elements.
  ///
  /// - Parameter position: The position of the first element in the array.
  func objects(in elements: [JSONValue], from position: Int) -> [JSONValue] {
    guard let path = element else { return elements }
    return elements.enumerated().flatMap { offset, element in
      element.values(at: path, place: "\(array ?? "")[\(position + offset)]")
    }
  }
}
