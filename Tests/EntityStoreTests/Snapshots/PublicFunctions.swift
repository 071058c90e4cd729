import Foundation

/// A public function, operator, computed property or subscript of the sources, with its documentation.
struct PublicFunction {
  let file: String
  let line: Int
  /// The type that it is declared in, or in an extension of: `QueryList`, `EntityQuery.Order`.
  let type: Substring
  /// From `func`, `var` or `subscript` to the body, in one line.
  let text: Substring
  /// Whether its documentation shows the SQL that it runs, or makes a part of.
  let showsSQL: Bool
  /// Whether a use of it compiles.
  let isAvailable: Bool

  var isSubscript: Bool { text.hasPrefix("subscript") }

  /// `all`, `any`, `==`, and `subscript -> QueryList` of a subscript, after the type of its value.
  var name: Substring {
    if isSubscript {
      let value = text.range(of: "-> ", options: .backwards).map { text[$0.upperBound...] } ?? ""
      return "subscript -> \(value.prefix { $0.isLetter })"
    }
    let rest = text.drop { $0 != " " }.dropFirst()
    let word = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
    return word.isEmpty ? rest.prefix { $0 != " " } : word
  }

  /// `QueryList.any`
  var fullName: String { "\(type).\(name)" }

  /// The functions of a file.
  static func all(in text: String, _ file: String) -> [PublicFunction] {
    let indented = text.split(separator: "\n", omittingEmptySubsequences: false)
    let lines = indented.map { $0.trimmingCharacters(in: .whitespaces) }
    return lines.indices.compactMap { index in
      guard lines[index].hasPrefix("public ") else { return nil }
      // A declaration may go on over some lines.
      let end = lines[index...].firstIndex { $0.contains("{") } ?? index
      let declaration = lines[index...end].joined(separator: " ")
      guard
        let start = [" func ", " var ", " subscript<", " subscript("].lazy.compactMap({ declaration.range(of: $0) })
          .first,
        !declaration[..<start.lowerBound].contains("init(")
      else { return nil }
      // All that belongs to it is above it, up to the end of what is there before.
      let above = lines[..<index].reversed().prefix { line in
        !line.isEmpty && (line.hasPrefix("///") || !line.hasSuffix("}") && !line.hasSuffix("{"))
      }
      return PublicFunction(
        file: file, line: index + 1, type: type(around: indented[...index]),
        text: declaration[start.lowerBound...].drop { $0 == " " }.prefix { $0 != "{" },
        showsSQL: above.contains { $0.hasPrefix("/// // ") },
        isAvailable: !above.contains { $0.contains("unavailable") })
    }
  }

  /// The type of the declaration in the last line: each line above that is indented less is of a declaration around it.
  private static func type(around lines: ArraySlice<Substring>) -> Substring {
    func indentation(_ line: Substring) -> Int { line.prefix { $0 == " " }.count }
    guard var least = lines.last.map(indentation) else { return "" }
    var names: [Substring] = []
    for line in lines.reversed() where !line.isEmpty && indentation(line) < least {
      least = indentation(line)
      guard let name = line.firstMatch(of: /\b(?:extension|struct|enum|class|protocol|actor) ([\w.]+)/)?.1 else {
        continue
      }
      names.append(name)
    }
    return names.reversed().joined(separator: ".")[...]
  }
}
