/// Swift source as `swift format` leaves it: two spaces, lines of at most 120 characters.
struct SwiftText {
  static let width = 120
  private(set) var text = ""

  mutating func line(_ line: String = "", indent: Int = 0) {
    text += line.isEmpty ? "\n" : String(repeating: " ", count: indent) + line + "\n"
  }

  /// A comment, with as many lines as it needs.
  mutating func comment(_ comment: String, mark: String = "//", indent: Int = 0) {
    var current = mark
    let room = Self.width - indent
    for word in Self.printable(comment).split(whereSeparator: \.isWhitespace) {
      if current.count + 1 + word.count > room, current != mark {
        line(current, indent: indent)
        current = mark
      }
      current += " " + word
    }
    if current != mark { line(current, indent: indent) }
  }

  mutating func documentation(_ text: String?, indent: Int = 0) {
    if let text { comment(text, mark: "///", indent: indent) }
  }

  /// `head(arguments)tail`, broken where it is too long: after the parenthesis, and before a tail with a brace.
  mutating func function(_ head: String, _ arguments: [String], _ tail: String, indent: Int) {
    let whole = "\(head)(\(arguments.joined(separator: ", ")))\(tail)"
    if indent + whole.count <= Self.width { return line(whole, indent: indent) }
    if arguments.isEmpty, let open = whole.lastIndex(of: "<"), let close = whole.lastIndex(of: ">"), open < close {
      line(String(whole[...open]), indent: indent)
      line(String(whole[whole.index(after: open)..<close]), indent: indent + 2)
      return line(String(whole[close...]), indent: indent)
    }
    line("\(head)(", indent: indent)
    fill(arguments, indent: indent + 2)
    line(")\(tail)", indent: indent)
  }

  /// `head { value }`, on three lines where it is too long.
  mutating func accessor(_ head: String, _ value: String, indent: Int) {
    let whole = "\(head) { \(value) }"
    // A body on one line leaves the last column free.
    if indent + whole.count < Self.width { return line(whole, indent: indent) }
    line("\(head) {", indent: indent)
    line(value, indent: indent + 2)
    line("}", indent: indent)
  }

  /// `head = value`, on two lines where it is too long.
  mutating func value(_ head: String, _ value: String, indent: Int) {
    let whole = "\(head) = \(value)"
    if indent + whole.count <= Self.width { return line(whole, indent: indent) }
    line("\(head) =", indent: indent)
    line(value, indent: indent + 2)
  }

  /// A call, whose last argument keeps the parenthesis.
  mutating func call(_ head: String, _ arguments: [String], indent: Int) {
    let whole = "\(head)(\(arguments.joined(separator: ", ")))"
    if indent + whole.count <= Self.width || arguments.isEmpty { return line(whole, indent: indent) }
    line("\(head)(", indent: indent)
    fill(arguments.dropLast() + [(arguments.last ?? "") + ")"], indent: indent + 2)
  }

  /// `head[elements]`, with a comma behind the last element where it is broken.
  mutating func list(_ head: String, _ elements: [String], indent: Int, tail: String = "") {
    let whole = "\(head)[\(elements.joined(separator: ", "))]\(tail)"
    if indent + whole.count <= Self.width || elements.isEmpty { return line(whole, indent: indent) }
    line("\(head)[", indent: indent)
    fill(elements.dropLast() + [(elements.last ?? "") + ","], indent: indent + 2)
    line("]\(tail)", indent: indent)
  }

  /// A computed property with one array: on one line, if it fits.
  mutating func property(_ head: String, _ elements: [String], indent: Int) {
    let whole = "\(head) { [\(elements.joined(separator: ", "))] }"
    if indent + whole.count < Self.width { return line(whole, indent: indent) }
    line("\(head) {", indent: indent)
    list("", elements, indent: indent + 2)
    line("}", indent: indent)
  }

  /// As many elements on a line as there is room for.
  private mutating func fill(_ elements: some Sequence<String>, indent: Int) {
    var current = ""
    var isFirst = true
    for element in elements {
      if isFirst {
        current = element
      } else if indent + current.count + 2 + element.count + 1 > Self.width {
        line(current + ",", indent: indent)
        current = element
      } else {
        current += ", " + element
      }
      isFirst = false
    }
    if !current.isEmpty { line(current, indent: indent) }
  }

  /// A text of a document without control characters, and without those that change the direction: these show a reader
  /// other code than the compiler reads (CVE-2021-42574).
  static func printable(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      let isControl = scalar.value < 32 || (0x7F...0x9F).contains(scalar.value)
      let isDirection =
        (0x200E...0x200F).contains(scalar.value) || (0x2028...0x202E).contains(scalar.value)
        || (0x2066...0x2069).contains(scalar.value)
      result.unicodeScalars.append(isControl || isDirection ? " " : scalar)
    }
    return result
  }

  /// A literal of a text.
  static func literal(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      case _
      where scalar.value < 32 || scalar.value == 127 || (0x2028...0x202E).contains(scalar.value)
        || (0x2066...0x2069).contains(scalar.value):
        result += "\\u{\(String(scalar.value, radix: 16))}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
