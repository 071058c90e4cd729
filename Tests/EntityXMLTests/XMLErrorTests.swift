import EntityJSON
import EntityRequests
import EntityXML
import Foundation
import Testing

/// Documents that are refused, with the place of the fault.
struct XMLErrorTests {
  @Test(
    arguments: [
      ("", .emptyInput, 1, 1), (" \n ", .emptyInput, 2, 2), ("<?xml version='1.0'?>", .emptyInput, 1, 22),
      ("a", .malformed, 1, 1), ("<", .unexpectedEnd, 1, 2), ("<a", .unexpectedEnd, 1, 3),
      ("<a>", .unexpectedEnd, 1, 4), ("<a>\n <b>\n", .unexpectedEnd, 3, 1), ("<a>x", .unexpectedEnd, 1, 5),
      ("<a></a", .unexpectedEnd, 1, 7), ("<a b", .unexpectedEnd, 1, 5), ("<a b=", .unexpectedEnd, 1, 6),
      ("<a b='x", .unexpectedEnd, 1, 8), ("<a><!-- x", .unexpectedEnd, 1, 10), ("<a><![CDATA[x", .unexpectedEnd, 1, 14),
      ("<a><?p x", .unexpectedEnd, 1, 9), ("<a>&#6", .unexpectedEnd, 1, 7), ("<a>&am", .unexpectedEnd, 1, 7),
      ("<a></b>", .mismatchedTag, 1, 4), ("<a>\n<b>\r\n</a></b>", .mismatchedTag, 3, 1),
      ("<a></A>", .mismatchedTag, 1, 4),
      ("<a/><b/>", .trailingContent, 1, 5), ("<a/>x", .trailingContent, 1, 5), ("<a/></a>", .trailingContent, 1, 5),
      ("<a/>&#32;", .trailingContent, 1, 5), ("<a/><![CDATA[]]>", .trailingContent, 1, 5),
      ("<a b='1' b='2'/>", .duplicateAttribute, 1, 10), ("<a b='1' c='' b=\"2\"/>", .duplicateAttribute, 1, 15),
      ("<1/>", .malformed, 1, 2), ("<-a/>", .malformed, 1, 2), ("< a/>", .malformed, 1, 2),
      ("<a b/>", .malformed, 1, 5),
      ("<a b=1/>", .malformed, 1, 6), ("<a b='1'c='2'/>", .malformed, 1, 9), ("<a b='<'/>", .malformed, 1, 7),
      ("<a / >", .malformed, 1, 4), ("</a>", .malformed, 1, 2), ("<a></ a>", .malformed, 1, 6),
      ("<a>]]></a>", .malformed, 1, 4), ("<a><!-- a -- b --></a>", .malformed, 1, 13),
      ("<a><!---></a>", .unexpectedEnd, 1, 14),
      ("<a><!DOCTYPE b></a>", .malformed, 1, 4), ("<a><!ELEMENT b></a>", .malformed, 1, 4),
      ("<a><!></a>", .malformed, 1, 4),
      ("<a><?xml version='1.0'?></a>", .malformed, 1, 4), (" <?xml version='1.0'?><a/>", .malformed, 1, 2),
      ("<a><?XML?></a>", .malformed, 1, 4), ("<a><?p+?></a>", .malformed, 1, 7), ("<a><? p?></a>", .malformed, 1, 6),
      ("<?xml?><a/>", .malformed, 1, 1), ("<?xml encoding='utf-8'?><a/>", .malformed, 1, 6),
      ("<?xml version='2.0'?><a/>", .malformed, 1, 20),
      ("<?xml version='1.0' standalone='maybe'?><a/>", .malformed, 1, 39),
      ("<?xml version='1.0' standalone='no' encoding='utf-8'?><a/>", .malformed, 1, 37),
      ("<?xml version='1.0' encoding='ISO-8859-1'?><a/>", .encoding, 1, 42),
      ("<a>&nbsp;</a>", .unknownEntity, 1, 4), ("<a b='&b;'/>", .unknownEntity, 1, 7),
      ("<a>&LT;</a>", .unknownEntity, 1, 4),
      ("<a>&</a>", .malformed, 1, 5), ("<a>& b</a>", .malformed, 1, 5), ("<a>&lt</a>", .malformed, 1, 7),
      ("<a>&#;</a>", .malformed, 1, 6), ("<a>&#x;</a>", .malformed, 1, 7), ("<a>&#xG;</a>", .malformed, 1, 7),
      ("<a>&#-1;</a>", .malformed, 1, 6), ("<a>&#65 ;</a>", .malformed, 1, 8),
      ("<a>&#0;</a>", .invalidCharacter, 1, 4), ("<a>&#x1F;</a>", .invalidCharacter, 1, 4),
      ("<a>&#xD800;</a>", .invalidCharacter, 1, 4), ("<a>&#xFFFE;</a>", .invalidCharacter, 1, 4),
      ("<a>&#x110000;</a>", .invalidCharacter, 1, 4), ("<a>&#99999999999999999999999999;</a>", .invalidCharacter, 1, 4),
      ("<a>\u{1}</a>", .invalidCharacter, 1, 4), ("<a>\n \u{0}</a>", .invalidCharacter, 2, 2),
      ("<a>é\u{FFFE}</a>", .invalidCharacter, 1, 5),
    ] as [(String, XMLError.Kind, Int, Int)])
  func `a fault is named with its place`(_ document: String, _ kind: XMLError.Kind, _ line: Int, _ column: Int) throws {
    let error = try fault(document.utf8)
    #expect(error.kind == kind, "\(error)")
    #expect((error.line, error.column) == (line, column), "\(error)")
  }

  @Test(
    arguments: [
      [0x80], [0xC0, 0x80], [0xC1, 0xBF], [0xC3], [0xC3, 0x28], [0xE0, 0x80, 0x80], [0xE0, 0x9F, 0xBF], [0xE2, 0x82],
      [0xED, 0xA0, 0x80], [0xF0, 0x80, 0x80, 0x80], [0xF0, 0x9F, 0x98], [0xF4, 0x90, 0x80, 0x80],
      [0xF5, 0x80, 0x80, 0x80],
      [0xFF],
    ] as [[UInt8]])
  func `bytes that are not UTF-8 are refused`(_ bytes: [UInt8]) throws {
    let error = try fault(Array("<a>ok".utf8) + bytes + Array("</a>".utf8))
    #expect(error.kind == .invalidUTF8)
    #expect(error.offset == 5)
    // At the very end, too.
    #expect(try fault(Array("<a>ok".utf8) + bytes).kind == .invalidUTF8)
  }

  @Test(
    arguments: [
      [0xFE, 0xFF, 0x00, 0x3C], [0xFF, 0xFE, 0x3C, 0x00], [0x00, 0x3C, 0x00, 0x61], [0x3C, 0x00, 0x61, 0x00],
      [0x00, 0x00, 0x00, 0x3C], [0xFF, 0xFE, 0x00, 0x00],
    ] as [[UInt8]])
  func `other Unicode encodings are refused`(_ bytes: [UInt8]) throws {
    #expect(try fault(bytes).kind == .encoding)
  }

  @Test func `the charset of the content type comes before the declaration`() throws {
    let format = XMLFormat()
    let document = Data("<?xml version='1.0' encoding='ISO-8859-1'?><a>é</a>".utf8)
    let value = try format.value(
      of: document, contentType: ContentType("text/xml; charset=\"UTF-8\""), limits: .standard)
    #expect(value == ["a": "é"])
    #expect(throws: XMLError.self) {
      try format.value(of: Data("<a/>".utf8), contentType: ContentType("text/xml; charset=latin1"), limits: .standard)
    }
  }

  @Test func `the description names the place and no value`() throws {
    let error = try fault("<users>\n <user id='secret'>hidden <name>x</nam></user></users>".utf8)
    #expect(error.path == "users/user/name")
    #expect(
      error.description
        == "XML line 2, column 34 (byte 41), in users/user/name: the end tag is not that of the element that is open")
    #expect(error.localizedDescription == error.description)
  }

  @Test func `a long path loses its middle`() throws {
    let names = (0..<40).map { "e\($0)" } + [String(repeating: "n", count: 100)]
    let error = try fault((names.map { "<\($0)>" }.joined() + "&").utf8)
    #expect(error.path == "e0/e1/e2/e3/…/e37/e38/e39/\(String(repeating: "n", count: 60))…")
  }
}
