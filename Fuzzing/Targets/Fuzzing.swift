import Foundation

@testable import EntityJSON

/// libFuzzer calls it with each input. The name of the target comes from the environment, so that one build has them
/// all.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  target(Array(UnsafeBufferPointer(start: bytes, count: count)))
  return 0
}

private let target: @Sendable ([UInt8]) -> Void = {
  let targets: [String: @Sendable ([UInt8]) -> Void] = [
    "json": fuzzJSON, "views": fuzzViews, "decode": fuzzDecode, "pieces": fuzzPieces,
  ]
  let name = ProcessInfo.processInfo.environment["FUZZ_TARGET"] ?? ""
  guard let target = targets[name] else {
    fail("FUZZ_TARGET is '\(name)'; it names one of \(targets.keys.sorted().joined(separator: ", "))")
  }
  return target
}()

/// Prints the fault and ends the process; libFuzzer then keeps the input.
func fail(_ message: @autoclosure () -> String) -> Never {
  FileHandle.standardError.write(Data("FOUND: \(message())\n".utf8))
  abort()
}

func check(_ condition: Bool, _ message: @autoclosure () -> String) {
  if !condition { fail(message()) }
}

/// The reader as users call it. Every other input arrives as a slice, whose indices don't begin with 0.
func parse(
  _ bytes: some Collection<UInt8>, _ limits: JSONLimits = .standard
) -> Result<JSONValue, JSONError> {
  let data = bytes.count % 2 == 0 ? Data(bytes) : Data([UInt8(ascii: "x")] + bytes).dropFirst()
  return Result { () throws(JSONError) in try JSONValue(parsing: data, limits: limits) }
}
