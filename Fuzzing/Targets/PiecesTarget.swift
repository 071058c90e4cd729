import Foundation

@testable import EntityJSON

/// A text in pieces must give the same result as the whole: the same elements, the same rest, the same error.
///
/// The lowest three bits of the first byte tell how many sizes of pieces follow, each in a byte, to be taken by turns;
/// 8 in it asks for the array at the top level, else the line goes on with the key path. The text begins on the next.
@Sendable
func fuzzPieces(_ input: [UInt8]) {
  guard let choice = input.first else { return }
  let sizes = input.dropFirst().prefix(Int(choice & 7)).map { max(1, Int($0)) }
  let rest = input.dropFirst(1 + sizes.count)
  guard let lineEnd = rest.firstIndex(of: UInt8(ascii: "\n")) else { return }
  let keyPath = choice & 8 == 0 ? String(decoding: rest[..<lineEnd], as: UTF8.self) : nil
  let text = rest[(lineEnd + 1)...]

  var elements: [JSONValue] = []
  let ours = Result { () throws(JSONError) in
    try read(text, sizes: sizes.isEmpty ? [max(1, text.count)] : sizes, keyPath: keyPath, into: &elements)
  }
  switch (parse(text), ours) {
  case (.failure(let whole), .failure(let error)):
    let isEarlier = error.kind == .duplicateKey && error.offset <= whole.offset
    check(isEarlier || error == whole, "in pieces the error is \(error), as a whole \(whole)")
  case (.failure(let whole), .success): fail("in pieces there is no error, as a whole \(whole)")
  case (.success, .failure(let error)):
    check(error.kind == .duplicateKey, "in pieces there is an error: \(error)")
  case (.success(let whole), .success(let rest)):
    check(whole, elements: elements, rest: rest, keyPath: keyPath)
  }
}

private func read(
  _ text: ArraySlice<UInt8>, sizes: [Int], keyPath: String?, into elements: inout [JSONValue]
) throws(JSONError) -> JSONElementReader.Rest {
  var reader = JSONElementReader(elementsAt: keyPath)
  var left = text
  var turn = 0
  while !left.isEmpty {
    let size = sizes[turn % sizes.count]
    do throws(JSONError) {
      elements += try reader.append(Data(left.prefix(size)))
    } catch {
      // A reader that has failed stays so.
      let again = Result { () throws(JSONError) in try reader.append(Data()) }.failure
      check(again == error, "after \(error) comes \(String(describing: again))")
      throw error
    }
    left = left.dropFirst(size)
    turn += 1
  }
  return try reader.finish()
}

private func check(
  _ whole: JSONValue, elements: [JSONValue], rest: JSONElementReader.Rest, keyPath: String?
) {
  let found = keyPath.map { whole[$0] } ?? whole
  let array = found?.array
  let target: JSONElementReader.Target = found.map { $0.kind == .array ? .array : .other($0.kind) } ?? .nothing
  check(rest.target == target, "under the path there is \(rest.target), not \(target)")
  check(elements.count == array?.count ?? 0, "there are \(elements.count) elements, not \(array?.count ?? 0)")
  for (element, expected) in zip(elements, array.map(Array.init) ?? []) {
    check(Events(of: element).bytes == Events(of: expected).bytes, "an element is \(element), not \(expected)")
    check(element.rawBytes == expected.rawBytes, "an element's bytes are others than those of \(expected)")
  }
  let envelope = Events(of: whole, emptying: array?.value).bytes
  check(Events(of: rest.envelope).bytes == envelope, "the rest is \(rest.envelope)")
}
