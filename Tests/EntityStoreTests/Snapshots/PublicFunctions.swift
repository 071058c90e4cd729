import Foundation

/// A public function, operator or computed property of the sources, with its documentation.
struct PublicFunction {
  let file: String
  let line: Int
  /// From `func` or `var` to the body, in one line.
  let text: Substring
  /// Whether its documentation shows the SQL that it runs, or makes a part of.
  let showsSQL: Bool
  /// Whether a use of it compiles.
  let isAvailable: Bool

  /// `all`, `any`, `==`.
  var name: Substring {
    let rest = text.drop { $0 != " " }.dropFirst()
    let word = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
    return word.isEmpty ? rest.prefix { $0 != " " } : word
  }

  /// The functions of a file.
  static func all(in text: String, _ file: String) -> [PublicFunction] {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map {
      $0.trimmingCharacters(in: .whitespaces)
    }
    return lines.indices.compactMap { index in
      guard lines[index].hasPrefix("public ") else { return nil }
      // A declaration may go on over some lines.
      let end = lines[index...].firstIndex { $0.contains("{") } ?? index
      let declaration = lines[index...end].joined(separator: " ")
      guard let start = [" func ", " var "].lazy.compactMap({ declaration.range(of: $0) }).first,
        !declaration[..<start.lowerBound].contains("init(")
      else { return nil }
      // All that belongs to it is above it, up to the end of what is there before.
      let above = lines[..<index].reversed().prefix { line in
        !line.isEmpty && (line.hasPrefix("///") || !line.hasSuffix("}") && !line.hasSuffix("{"))
      }
      return PublicFunction(
        file: file, line: index + 1, text: declaration[start.lowerBound...].drop { $0 == " " }.prefix { $0 != "{" },
        showsSQL: above.contains { $0.hasPrefix("/// // ") },
        isAvailable: !above.contains { $0.contains("unavailable") })
    }
  }
}
