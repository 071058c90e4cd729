import EntityJSON
import EntityXML
import Foundation
import TestSupport
import Testing

/// Random documents, and random changes of them.
struct RandomizedXMLTests {
  @Test func `a tree comes back as it was written`() async {
    await Seeds.each(300, sanitized: 30, "trees") { seed, steps in
      var random = SeededRandom(seed)
      let tree = RandomXML.element(&random, depth: 0)
      let document = RandomXML.document(tree, &random)
      steps = document
      let value = try read(document)
      #expect(value == ["root": tree.value])
    }
  }

  /// A document that was changed is read or refused, and never ends the process. Where it is read, a document that is
  /// made of the value says the same.
  @Test func `a changed document is read or refused`() async {
    await Seeds.each(1000, sanitized: 50, "changes") { seed, steps in
      var random = SeededRandom(seed)
      var bytes = Array(RandomXML.document(RandomXML.element(&random, depth: 0), &random).utf8)
      for _ in 0...random.below(4) { RandomXML.change(&bytes, &random) }
      steps = String(decoding: bytes, as: UTF8.self)
      let format = XMLFormat(
        lists: random.chance(2) ? ["a.b", "c"] : [],
        attributes: random.element([.kept, .leftOut, .leftOutOfTexts]) ?? .kept,
        trimsTexts: random.chance(2))
      do {
        let value = try format.value(of: Data(bytes))
        let again = try JSONValue(parsing: value.rawBytes)
        #expect(value.object?.count == 1)
        #expect(again == value)
      } catch let error as XMLError {
        #expect((0...bytes.count).contains(error.offset))
        #expect(error.line >= 1 && error.column >= 1)
      }
    }
  }

  @Test func `a document is refused wherever it is cut`() throws {
    var random = SeededRandom(7)
    let document = Array(RandomXML.document(RandomXML.element(&random, depth: 0), &random).utf8)
    let end = try #require(document.lastIndex(of: UInt8(ascii: ">")))
    for length in 0..<end { _ = try fault(document.prefix(length)) }
  }
}

/// A random element, and the value that it is read as.
struct RandomXML {
  let text: String
  let value: JSONValue

  private static let names = ["a", "b", "c", "données", "n:x", "_1", "user-name"]
  private static let characters = [
    "x", " ", "<", "&", ">", "]]>", "\"", "'", "é", "😀", "\n", "\t", "5", "#", "@", "--",
  ]

  static func element(_ random: inout SeededRandom, depth: Int) -> RandomXML {
    var attributes = ""
    var fields: [(String, JSONValue)] = []
    for name in names.prefix(random.chance(3) ? random.below(3) : 0) {
      let text = someText(&random)
      let quote = random.chance(2) ? "\"" : "'"
      attributes +=
        "\(space(&random, " "))\(name)\(space(&random))=\(space(&random))\(quote)\(escaped(text, &random, inAttribute: true))\(quote)"
      fields.append(("@" + name, JSONValue(text)))
    }
    let count = depth > 3 ? 0 : random.below(depth == 0 ? 5 : 3)
    guard count > 0 else {
      let text = someText(&random)
      let value: JSONValue =
        fields.isEmpty
        ? JSONValue(text)
        : JSONObject(fields: fields + (text.isEmpty ? [] : [("#text", JSONValue(text))])).value
      return RandomXML(text: "\(attributes)\u{0}\(escaped(text, &random, inAttribute: false))", value: value)
    }
    var inside = ""
    var order: [String] = []
    var members: [String: [JSONValue]] = [:]
    for _ in 0..<count {
      let name = names[random.below(names.count)]
      let child = element(&random, depth: depth + 1)
      inside += space(&random) + noise(&random) + tagged(child, name, &random) + space(&random)
      if members[name] == nil { order.append(name) }
      members[name, default: []].append(child.value)
    }
    for name in order { fields.append((name, members[name].map { $0.count == 1 ? $0[0] : JSONValue($0) } ?? nil)) }
    return RandomXML(text: "\(attributes)\u{0}\(inside)", value: JSONObject(fields: fields).value)
  }

  static func document(_ root: RandomXML, _ random: inout SeededRandom) -> String {
    let declaration = random.chance(2) ? "<?xml version=\"1.0\" encoding='utf-8'?>" : ""
    return declaration + space(&random) + noise(&random) + tagged(root, "root", &random) + noise(&random)
  }

  private static func tagged(_ element: RandomXML, _ name: String, _ random: inout SeededRandom) -> String {
    let parts = element.text.split(separator: "\u{0}", maxSplits: 1, omittingEmptySubsequences: false)
    if parts[1].isEmpty, random.chance(2) { return "<\(name)\(parts[0])\(space(&random))/>" }
    return "<\(name)\(parts[0])\(space(&random))>\(parts[1])</\(name)\(space(&random))>"
  }

  private static func space(_ random: inout SeededRandom, _ text: String = "") -> String {
    text + (random.chance(4) ? random.element([" ", "\n", "\t", "\r\n"]) ?? "" : "")
  }

  private static func noise(_ random: inout SeededRandom) -> String {
    random.chance(6) ? random.element(["<!-- c < & -->", "<?p i ?>", "<!---->"]) ?? "" : ""
  }

  private static func someText(_ random: inout SeededRandom) -> String {
    (0..<random.below(6)).map { _ in characters[random.below(characters.count)] }.joined()
  }

  private static func escaped(_ text: String, _ random: inout SeededRandom, inAttribute: Bool) -> String {
    if !inAttribute, !text.isEmpty, random.chance(5) {
      return "<![CDATA[\(text.replacingOccurrences(of: "]]>", with: "]]]]><![CDATA[>"))]]>"
    }
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "<": escaped += "&lt;"
      case "&": escaped += "&amp;"
      case ">": escaped += random.chance(2) || text.contains("]]>") ? "&gt;" : ">"
      case "\"": escaped += inAttribute || random.chance(2) ? "&quot;" : "\""
      case "'": escaped += inAttribute || random.chance(2) ? "&apos;" : "'"
      // In an attribute they would become spaces.
      case "\n", "\t": escaped += inAttribute ? "&#\(scalar.value);" : String(scalar)
      default: escaped += random.chance(8) ? "&#x\(String(scalar.value, radix: 16));" : String(scalar)
      }
    }
    return escaped
  }

  static func change(_ bytes: inout [UInt8], _ random: inout SeededRandom) {
    let place = random.below(bytes.count + 1)
    switch random.below(6) {
    case 0: bytes.insert(UInt8(random.below(256)), at: place)
    case 1: bytes.insert(contentsOf: Array((random.element(pieces) ?? "").utf8), at: place)
    case 2 where place < bytes.count: bytes.remove(at: place)
    case 3 where place < bytes.count: bytes[place] = UInt8(random.below(256))
    case 4: bytes.removeSubrange(place..<min(bytes.count, place + random.below(20)))
    default:
      let piece = bytes[place..<min(bytes.count, place + random.below(30))]
      bytes.insert(contentsOf: piece, at: random.below(bytes.count + 1))
    }
  }

  private static let pieces = [
    "<", ">", "</", "/>", "<a>", "</a>", "<!--", "-->", "<![CDATA[", "]]>", "<?", "?>", "&", "&#", "&#x", ";", "&lt;",
    "=", "'", "\"", " a='1'", " nil='true'", "xsi:nil", "<!DOCTYPE", "<b/>", "\u{FEFF}", "\u{0}", "\r\n",
  ]
}
