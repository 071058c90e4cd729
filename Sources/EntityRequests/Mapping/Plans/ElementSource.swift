import EntityJSON
import EntityStore
import Foundation

/// The elements of a list that is in no single document: a group of elements, or the elements of a file.
struct ElementSource: Sendable {
  private enum Place: Sendable {
    case group([JSONValue])
    case file(SpoolFile, StreamedPath, JSONLimits)
  }

  private let place: Place

  /// Elements in memory, from one document or several.
  init(_ group: [JSONValue]) { place = .group(group) }

  /// The elements of a body in a file. The body was read once before, without an error.
  init(_ file: SpoolFile, at path: StreamedPath, _ limits: JSONLimits) { place = .file(file, path, limits) }

  /// Hands each element to `body`. A further call begins again with the first element.
  ///
  /// - Throws: The errors of `body`; ``StoreError`` when the file can't be read.
  func forEach(_ body: (JSONValue) throws -> Void) throws {
    switch place {
    case .group(let elements): for element in elements { try body(element) }
    case .file(let file, let path, let limits):
      var reader = JSONElementReader(elementsAt: path.array, limits: limits)
      var (offset, position) = (0, 0)
      while true {
        let piece = try file.read(at: offset)
        if piece.isEmpty { break }
        offset += piece.count
        let elements = try reader.append(piece)
        for object in path.objects(in: elements, from: position) { try body(object) }
        position += elements.count
      }
      _ = try reader.finish()
    }
  }
}

/// The list of a response that is streamed, or a group of it, as one upsert takes it in.
struct StreamedList: Sendable {
  let elements: ElementSource
  /// The position of the first element in the whole list.
  var first = 0
}
