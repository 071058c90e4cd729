import TestSupport

/// Random texts of trays and of what they nest, which contradict each other.
struct TrayTexts {
  var random: SeededRandom

  mutating func tray(_ depth: Int) -> String {
    var fields = Fields(id)
    add("name", "\"\(depth)\"", to: &fields)
    if depth < 4 {
      if chance { add("lot", lot(depth), to: &fields) }
      for key in ["lots", "marks"] where chance { add(key, list { $0.lot(depth) }, to: &fields) }
      if chance { add("bolts", list { $0.bolt(depth) }, to: &fields) }
      if chance { add("outer", tray(depth + 1), to: &fields) }
    }
    add("slip", slip, to: &fields)
    add("slips", list { $0.part }, to: &fields)
    add("do", random.chance(2) ? "\"declared\"" : "\"loose\"", to: &fields)
    return fields.text
  }

  mutating func lot(_ depth: Int) -> String {
    if random.chance(4) { return id }
    var fields = Fields(id)
    add("name", "\"\(depth)\"", to: &fields)
    add("revision", "\(random.below(2))", to: &fields)
    if depth < 4 {
      for link in ["tray", "inner"] where chance { add(link, tray(depth + 1), to: &fields) }
      if chance { add("next", lot(depth + 1), to: &fields) }
      if chance { add("bolts", list { $0.bolt(depth + 1) }, to: &fields) }
    }
    add("slip", slip, to: &fields)
    if random.chance(5) { add("deleted", "true", to: &fields) }
    return fields.text
  }

  private mutating func bolt(_ depth: Int) -> String {
    var fields = Fields(id)
    add("text", "\"\(depth)\"", to: &fields)
    if depth < 4, chance { add("tray", tray(depth + 1), to: &fields) }
    if depth < 4, chance { add("lot", lot(depth + 1), to: &fields) }
    return fields.text
  }

  private var slip: String { mutating get { random.chance(4) ? "null" : part } }
  private var part: String {
    mutating get { "{\"size\":\(random.below(2))\(random.chance(3) ? ",\"copy\":{\"size\":1}" : "")}" }
  }
  private var id: String { mutating get { "\(1 + random.below(3))" } }
  private var chance: Bool { mutating get { random.chance(3) } }

  private mutating func list(_ element: (inout Self) -> String) -> String {
    "[" + (0..<random.below(3)).map { _ in element(&self) }.joined(separator: ",") + "]"
  }

  /// Some of the fields that are offered.
  private mutating func add(_ name: String, _ value: String, to fields: inout Fields) {
    if random.chance(2) {
      fields.text.insert(contentsOf: ",\"\(name)\":\(value)", at: fields.text.index(before: fields.text.endIndex))
    }
  }

  private struct Fields {
    var text: String

    init(_ id: String) { text = "{\"id\":\(id)}" }
  }
}
