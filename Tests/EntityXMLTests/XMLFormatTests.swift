import EntityJSON
import EntityRequests
import EntityXML
import Foundation
import Testing

/// The JSON that an XML document is read as.
struct XMLFormatTests {
  @Test(
    arguments: [
      ("<a/>", ["a": ""]),
      ("<a></a>", ["a": ""]),
      ("<a>b</a>", ["a": "b"]),
      ("<a> b\n</a>", ["a": " b\n"]),
      ("<a>  </a>", ["a": "  "]),
      ("<a>5</a>", ["a": "5"]),
      ("<a><b>1</b><c>2</c></a>", ["a": ["b": "1", "c": "2"]]),
      ("<a>\n  <b>1</b>\n</a>", ["a": ["b": "1"]]),
      ("<a><b>1</b><b>2</b><b>3</b></a>", ["a": ["b": ["1", "2", "3"]]]),
      // Elements of one name are a list wherever they stand.
      ("<a><b>1</b><c>x</c><b>2</b></a>", ["a": ["b": ["1", "2"], "c": "x"]]),
      ("<a><b><c/></b><b/></a>", ["a": ["b": [["c": ""], ""]]]),
      ("<a id='7'/>", ["a": ["@id": "7"]]),
      ("<a id=\"7\">b</a>", ["a": ["@id": "7", "#text": "b"]]),
      ("<a id = '7' n\t=\n\"x\" ><b/></a >", ["a": ["@id": "7", "@n": "x", "b": ""]]),
      // An attribute and an element of one name are two.
      ("<a b='1'><b>2</b></a>", ["a": ["@b": "1", "b": "2"]]),
      ("<a>one<b/>two<b/>three</a>", ["a": ["b": ["", ""], "#text": "onetwothree"]]),
      ("<a>one <b/> two</a>", ["a": ["b": "", "#text": "one  two"]]),
      ("<a><![CDATA[<b>&amp;]]]]><![CDATA[>]]></a>", ["a": "<b>&amp;]]>"]),
      ("<a>x<![CDATA[]]>y</a>", ["a": "xy"]),
      ("<a>x<!-- a - comment -->y<?target data?>z<?t?></a>", ["a": "xyz"]),
      ("<a>&lt;&gt;&amp;&apos;&quot;</a>", ["a": "<>&'\""]),
      ("<a b='&lt;&#10;&quot;'/>", ["a": ["@b": "<\n\""]]),
      ("<a>&#65;&#x42;&#x1F600;&#x0010FFFF;</a>", ["a": "AB😀\u{10FFFF}"]),
      ("<a>1\r\n2\r3\n4</a>", ["a": "1\n2\n3\n4"]),
      ("<a>&#13;</a>", ["a": "\r"]),
      ("<a b='1\r\n2\t3\n4\r5'/>", ["a": ["@b": "1 2 3 4 5"]]),
      ("<a>]] ></a>", ["a": "]] >"]),
      ("<a>></a>", ["a": ">"]),
      ("<größe ñ='x'>groß 日本 😀</größe>", ["größe": ["@ñ": "x", "#text": "groß 日本 😀"]]),
      ("<a.b-c_1/>", ["a.b-c_1": ""]),
      ("<?xml version='1.0'?><a/>", ["a": ""]),
      (
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\" ?>\n<!-- c --><?p i?>\n<a/>\n<!-- d -->\n",
        ["a": ""]
      ),
      ("<?xml version='1.1' encoding='us-ascii'?><a/>", ["a": ""]),
      ("<?xml-stylesheet href='x'?><a/>", ["a": ""]),
      ("\u{FEFF}<a/>", ["a": ""]),
      (" \n<a/>", ["a": ""]),
      // Names keep their prefixes; declarations of namespaces are no values.
      ("<n:a xmlns:n='urn:x' xmlns='urn:y' n:b='1'/>", ["n:a": ["@n:b": "1"]]),
    ] as [(String, JSONValue)])
  func `a document is read`(_ document: String, _ value: JSONValue) throws {
    #expect(try read(document) == value)
  }

  @Test(
    arguments: [
      ("<a xsi:nil='true' xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance'/>", ["a": nil]),
      ("<a xmlns:i='http://www.w3.org/2001/XMLSchema-instance' i:nil='1'></a>", ["a": nil]),
      ("<a type='integer' nil='true'/>", ["a": nil]),
      ("<a xsi:nil='false'/>", ["a": ""]),
      ("<a nil='false'/>", ["a": ["@nil": "false"]]),
      ("<a nil='true'>b</a>", ["a": ["@nil": "true", "#text": "b"]]),
      ("<a xsi:nil='true'><b/></a>", ["a": ["b": ""]]),
    ] as [(String, JSONValue)])
  func `an element that says so is null`(_ document: String, _ value: JSONValue) throws {
    #expect(try read(document) == value)
  }

  @Test func `attributes are treated as asked`() throws {
    let document = "<a t='x'><b t='i'>1</b><c t='y'/></a>"
    #expect(
      try read(document, XMLFormat(attributes: .kept))
        == ["a": ["@t": "x", "b": ["@t": "i", "#text": "1"], "c": ["@t": "y"]]])
    #expect(
      try read(document, XMLFormat(attributes: .leftOutOfTexts)) == ["a": ["@t": "x", "b": "1", "c": ""]])
    #expect(try read(document, XMLFormat(attributes: .leftOut)) == ["a": ["b": "1", "c": ""]])
  }

  @Test func `texts are trimmed where asked`() throws {
    let document = "<a>\n b c \t<d>  </d><e> x </e><f><g/> y <h/></f></a>"
    #expect(
      try read(document, XMLFormat(trimsTexts: true))
        == ["a": ["d": "", "e": "x", "f": ["g": "", "h": "", "#text": "y"], "#text": "b c"]])
  }

  // MARK: Lists

  @Test(
    arguments: [
      ("<users><user>1</user></users>", ["users": ["user": ["1"]]]),
      ("<users><user>1</user><user>2</user></users>", ["users": ["user": ["1", "2"]]]),
      ("<users/>", ["users": ["user": []]]),
      ("<users>\n</users>", ["users": ["user": []]]),
      ("<users type='array'/>", ["users": ["@type": "array", "user": []]]),
      ("<users><total>0</total></users>", ["users": ["total": "0", "user": []]]),
      // Elsewhere the name is no list.
      ("<page><user>1</user></page>", ["page": ["user": "1"]]),
      ("<a><users/><users><user/></users></a>", ["a": ["users": [["user": []], ["user": [""]]]]]),
    ] as [(String, JSONValue)])
  func `an element is a list in the element that is named`(_ document: String, _ value: JSONValue) throws {
    #expect(try read(document, XMLFormat(lists: ["users.user"])) == value)
  }

  @Test func `an element is a list everywhere by its name alone`() throws {
    let format = XMLFormat(lists: ["tag", "a.tag.tag"])
    #expect(try read("<a><tag><tag>x</tag></tag></a>", format) == ["a": ["tag": [["tag": ["x"]]]]])
    #expect(try read("<a><tag/></a>", format) == ["a": ["tag": [["tag": []]]]])
    // There is one root element.
    #expect(try read("<tag/>", format) == ["tag": ""])
    #expect(try read("<b/>", format) == ["b": ""])
  }

  @Test func `a value where a list is expected is a list of itself`() throws {
    let body = try read("<page><users><user><name>Ada</name><tag>a</tag></user></users><posts/></page>")
    struct User: Decodable, Equatable {
      let name: String
      let tag: [String]
    }
    #expect(try body["page.users.user"]?.decode([User].self) == [User(name: "Ada", tag: ["a"])])
    #expect(try body["page.posts"]?.decode([User].self) == [])
    #expect(try body["page.users.user.tag"]?.decode(Set<String>.self) == ["a"])
  }

  // MARK: Values of types

  @Test func `texts are read as the types that are expected`() throws {
    struct Values: Decodable, Equatable {
      let int: Int
      let unsigned: UInt64
      let double: Double
      let decimal: Decimal
      let yes: Bool
      let no: Bool
      let date: Date
      let text: String
      let number: String
      let empty: String
      let missing: Int?
      let day: Date?
      let none: [Int]?
    }
    let document = """
      <v><int>-5</int><unsigned>18446744073709551615</unsigned><double>1.5e3</double><decimal>0.10</decimal>
      <yes>true</yes><no>0</no><date>1700000000</date><text>Ada</text><number>007</number><empty/><missing/><day/>
      <none/></v>
      """
    var decoder = JSONValueDecoder()
    decoder.dateDecodingStrategy = .secondsSince1970
    let values = try read(document)["v"]?.decode(Values.self, using: decoder)
    #expect(
      values
        == Values(
          int: -5, unsigned: .max, double: 1500, decimal: Decimal(string: "0.1")!, yes: true, no: false,
          date: Date(timeIntervalSince1970: 1_700_000_000), text: "Ada", number: "007", empty: "", missing: nil,
          day: nil, none: []))
  }

  @Test(arguments: ["007", "+5", "5 ", "0x10", "1.", ".5", "1e", "-", "five", "٣"])
  func `a text that is no number is not read as a number`(_ text: String) throws {
    let value = try #require(try read("<a>\(text)</a>")["a"])
    #expect(value.int == nil)
    #expect(throws: DecodingError.self) { try value.decode(Int.self) }
  }

  // A type that is a list of itself would find one in each text.
  @Test func `a type that is a list of itself without end is refused`() throws {
    struct Nest: Decodable {
      let items: [Nest]
      init(from decoder: any Decoder) throws { items = try decoder.singleValueContainer().decode([Nest].self) }
    }
    #expect(throws: DecodingError.self) { try read("<a>x</a>").decode(Nest.self) }
  }

  // MARK: Content types

  @Test(arguments: [
    ("application/xml", true), ("text/xml", true), ("TEXT/XML ; charset=utf-8", true), ("application/atom+xml", true),
    ("application/json", false), ("text/html", false), ("", false), ("xml", false), ("application/xml-dtd", false),
  ]) func `the format reads its content types`(_ text: String, _ isRead: Bool) {
    #expect(XMLFormat().reads(ContentType(text)) == isRead)
  }
}
