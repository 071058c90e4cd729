/// Texts of JSON of any shape, with all that may be written in more than one way.
package enum RandomJSON {
  /// A text: whitespace, escapes, keys that stand twice, numbers of any size.
  package static func text(_ random: inout SeededRandom, depth: Int = 4) -> String {
    let space = [" ", "", "", "\n", "\t "]
    func blank() -> String { random.element(space) ?? "" }
    switch depth > 0 ? random.below(8) : random.below(5) {
    case 0: return random.element(["null", "true", "false"]) ?? "null"
    case 1, 2: return number(&random)
    case 3, 4: return string(&random)
    case 5, 6:
      let fields = (0..<random.below(5)).map { _ in
        "\(blank())\(string(&random, keys))\(blank()):\(blank())\(text(&random, depth: depth - 1))\(blank())"
      }
      return "{\(blank())\(fields.joined(separator: ","))}"
    default:
      let elements = (0..<random.below(5)).map { _ in "\(blank())\(text(&random, depth: depth - 1))\(blank())" }
      return "[\(blank())\(elements.joined(separator: ","))]"
    }
  }

  private static let keys = [
    "a", "b", "A", "é", "e\u{301}", "", "a.b", "\\u0061", "\\\"", "\\u0000", "long key of many bytes",
  ]
  private static let pieces = keys + ["日", "\\uD83D\\uDE00", "😀", "\\n", "\\/", "\u{7F}", "'", "2026-05-01"]

  private static func string(_ random: inout SeededRandom) -> String {
    "\"\((0..<random.below(4)).map { _ in random.element(pieces) ?? "" }.joined())\""
  }

  private static func string(_ random: inout SeededRandom, _ list: [String]) -> String {
    "\"\(random.element(list) ?? "")\""
  }

  private static func number(_ random: inout SeededRandom) -> String {
    let special = [
      "0", "-0", "1.50", "1.5", "15e-1", "9223372036854775807", "9223372036854775808", "-9223372036854775808",
      "18446744073709551616", "1e400", "-1E+400", "1e-400", "0.1234567890123456789012345678901234567890",
    ]
    return random.chance(3) ? special[random.below(special.count)] : String(Int(random.next() % 2_000) - 1_000)
  }
}
