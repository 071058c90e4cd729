import EntityJSON
import Foundation
import Testing

let richArray = "[\(richDocument), {\"a\": [1.5, \"x\"]}, {\"a\": [2.5, \"y\"]} , \(richDocument)]"

/// Reads a text in pieces.
struct Reading {
  private(set) var elements: [JSONValue] = []
  private(set) var rest: JSONElementReader.Rest?
  private(set) var error: JSONError?

  init(
    _ bytes: [UInt8], at keyPath: String?, limits: JSONLimits = JSONLimits(), total: Int = .max, pieces: () -> Int
  ) {
    var reader = JSONElementReader(elementsAt: keyPath, limits: limits, totalBytes: total)
    do throws(JSONError) {
      var place = 0
      while place < bytes.count {
        let end = min(bytes.count, place + pieces())
        elements += try reader.append(Data(bytes[place..<end]))
        place = end
      }
      rest = try reader.finish()
    } catch {
      self.error = error
    }
  }

  func get() throws -> (elements: [JSONValue], rest: JSONElementReader.Rest) {
    if let error { throw error }
    return (elements, try #require(rest))
  }
}

/// Pieces that end at the places.
func pieces(_ ends: [Int]) -> () -> Int {
  var place = 0
  var ends = ends[...]
  return {
    let end = ends.popFirst() ?? .max
    defer { place = end }
    return max(0, end - place)
  }
}

func expectWholeText(
  _ bytes: [UInt8], at keyPath: String?, limits: JSONLimits = JSONLimits(), pieces: () -> Int,
  _ location: SourceLocation = #_sourceLocation
) {
  let read = Reading(bytes, at: keyPath, limits: limits, pieces: pieces)
  // The whole text has no such fault: the reader in pieces refuses a key because elements went out already.
  if read.error?.kind == .duplicateKey { return }
  guard let whole = try? JSONValue(parsing: Data(bytes), limits: limits), let rest = read.rest else {
    let expected = refusal(bytes, limits: limits)
    #expect(
      read.error == expected, "\(String(decoding: bytes, as: UTF8.self)) at \(keyPath ?? "-")", sourceLocation: location
    )
    return
  }
  let found = keyPath.map { whole[$0] } ?? whole
  #expect(read.elements == Array(found?.array ?? []), sourceLocation: location)
  #expect(
    rest.target == (found.map { $0.kind == .array ? .array : .other($0.kind) } ?? .nothing), sourceLocation: location)
  guard rest.target == .array else {
    #expect(rest.envelope == whole, sourceLocation: location)
    return
  }
  let array = found?.rawBytes ?? Data()
  #expect(
    isEnvelope(Array(rest.envelope.rawBytes), of: Array(whole.rawBytes), without: Array(array)),
    sourceLocation: location)
}

/// Whether a text is another one with `[]` in place of this array.
private func isEnvelope(_ text: [UInt8], of whole: [UInt8], without array: [UInt8]) -> Bool {
  guard text.count == whole.count - array.count + 2 else { return false }
  for place in 0..<text.count - 1 {
    if text[place] == UInt8(ascii: "["), text[place + 1] == UInt8(ascii: "]"), whole[place...].starts(with: array),
      text[(place + 2)...].elementsEqual(whole[(place + array.count)...])
    {
      return true
    }
    if text[place] != whole[place] { return false }
  }
  return false
}
