/// Numbers that are the same in every run (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014).
struct SplitMix: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ z >> 30) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
    return z ^ z >> 31
  }
}

extension Array where Element == UInt8 {
  /// JSON as it is; no contestant's writer has a hand in it.
  mutating func add(_ json: String) { append(contentsOf: json.utf8) }

  /// A JSON array of the elements that `element` adds, one for each position.
  static func array(count: Int, element: (Int, inout [UInt8]) -> Void) -> [UInt8] {
    var bytes: [UInt8] = [UInt8(ascii: "[")]
    for index in 0..<count {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      element(index, &bytes)
    }
    bytes.append(UInt8(ascii: "]"))
    return bytes
  }

  /// Compact JSON with each member on a line of its own.
  func indented(by width: Int) -> [UInt8] {
    var pretty: [UInt8] = []
    pretty.reserveCapacity(count * 2)
    var depth = 0
    var inString = false
    var escaped = false
    func newline(_ pretty: inout [UInt8]) {
      pretty.append(UInt8(ascii: "\n"))
      pretty.append(contentsOf: repeatElement(UInt8(ascii: " "), count: depth * width))
    }
    for byte in self {
      if inString {
        pretty.append(byte)
        inString = escaped || byte != UInt8(ascii: "\"")
        escaped = !escaped && byte == UInt8(ascii: "\\")
        continue
      }
      switch byte {
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
        pretty.append(byte)
        newline(&pretty)
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
        newline(&pretty)
        pretty.append(byte)
      case UInt8(ascii: ","):
        pretty.append(byte)
        newline(&pretty)
      case UInt8(ascii: ":"):
        pretty.append(byte)
        pretty.append(UInt8(ascii: " "))
      default:
        inString = byte == UInt8(ascii: "\"")
        pretty.append(byte)
      }
    }
    return pretty
  }
}
