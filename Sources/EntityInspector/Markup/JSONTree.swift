import EntityJSON

/// A JSON value as nested elements of `<details>`, which fold without a script. A body from outside may be of any size: what is
/// over a limit is counted, or shown by its beginning.
struct JSONTree {
  /// The most values of a tree.
  static let mostValues = 2_000
  /// The depth from which a value is shown by its beginning.
  static let mostDepth = 24
  private static let mostCharacters = 500
  /// Lists of at most so many values are open on the first levels.
  private static let mostOpen = 20

  private var left = mostValues

  private init() {}

  /// The tree of an array or an object; another value is one line.
  static func html(_ value: JSONValue) -> HTML {
    var tree = JSONTree()
    return "<div class=\"tree\">\(tree.html(nil, value, depth: 0))</div>"
  }

  private mutating func html(_ name: String?, _ value: JSONValue, depth: Int) -> HTML {
    left -= 1
    let key: HTML? = name.map { "<span class=\"key\">\($0)</span> " }
    let count = value.array?.count ?? value.object?.count ?? 0
    guard count > 0, depth < Self.mostDepth else { return "<div>\(key)\(Self.leaf(value))</div>" }
    let open: HTML = depth < 2 && count <= Self.mostOpen || depth == 0 ? " open" : ""
    let size: HTML = value.object == nil ? "[\(count)]" : "{\(count)}"
    return """
      <details\(open)><summary>\(key)<small>\(size)</small></summary>\(children(value, count, depth: depth + 1))</details>
      """
  }

  private mutating func children(_ value: JSONValue, _ count: Int, depth: Int) -> [HTML] {
    var shown: [HTML] = []
    if let array = value.array {
      for (number, element) in array.enumerated() {
        guard left > 0 else { break }
        shown.append(html("\(number)", element, depth: depth))
      }
    }
    if let object = value.object {
      for (name, field) in object {
        guard left > 0 else { break }
        shown.append(html(Self.beginning(name), field, depth: depth))
      }
    }
    if shown.count < count { shown.append("<div class=\"note\">\(count - shown.count) more</div>") }
    return shown
  }

  private static func leaf(_ value: JSONValue) -> HTML {
    switch value.kind {
    case .null: "<span class=\"null\">null</span>"
    case .bool: "<span class=\"flag\">\(value.bool == true ? "true" : "false")</span>"
    case .number: "<span class=\"amount\">\(beginning(value.lexeme ?? ""))</span>"
    case .string: "<span class=\"text\">\("\"\(beginning(value.string ?? ""))\"")</span>"
    case .array, .object:
      "<span class=\"text\">\(beginning(String(decoding: value.data(format: .compact), as: UTF8.self)))</span>"
    }
  }

  private static func beginning(_ text: String) -> String {
    let scalars = text.unicodeScalars.prefix(mostCharacters)
    return scalars.endIndex == text.endIndex ? text : "\(String(String.UnicodeScalarView(scalars)))…"
  }
}
