import EntityJSON
import EntityXML
import Foundation
import Testing

/// Documents that ask for more than they should get.
struct XMLLimitTests {
  /// A billion laughs, an external entity, an external subset, a parameter entity, and a plain declaration.
  @Test(arguments: [
    "<!DOCTYPE l [<!ENTITY a \"ha\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;\"><!ENTITY c \"&b;&b;&b;&b;&b;&b;\">]><l>&c;</l>",
    "<!DOCTYPE a [<!ENTITY x SYSTEM \"file:///etc/passwd\">]><a>&x;</a>",
    "<!DOCTYPE a SYSTEM \"https://example.com/a.dtd\"><a/>",
    "<!DOCTYPE a [<!ENTITY % p SYSTEM \"https://example.com/p\"> %p;]><a/>", "<!DOCTYPE html><html/>",
    "<?xml version='1.0'?>\n<!-- c --><!DOCTYPE a><a/>",
  ]) func `a document type declaration is refused`(_ document: String) throws {
    let error = try fault(document.utf8)
    #expect(error.kind == .documentType)
    #expect(error.offset == document.range(of: "<!DOCTYPE")?.lowerBound.utf16Offset(in: document))
  }

  @Test func `elements nest as deep as the limit`() throws {
    func nested(_ depth: Int) -> String {
      String(repeating: "<a>", count: depth) + String(repeating: "</a>", count: depth)
    }
    var value = try read(nested(512))
    for _ in 0..<512 { value = try #require(value["a"]) }
    #expect(value == "")
    let error = try fault(nested(513).utf8)
    #expect(error.kind == .tooDeep)
    #expect(error.column == 512 * 3 + 1)
    #expect(try fault(nested(100_000).utf8).kind == .tooDeep)
    #expect(try read(nested(20_000), limits: JSONLimits(depth: .max)).kind == .object)
  }

  @Test func `bytes and nodes are limited`() throws {
    #expect(try read("<abcd/>", limits: JSONLimits(bytes: 7)) == ["abcd": ""])
    #expect(try fault("<abcd/>".utf8, limits: JSONLimits(bytes: 6)).kind == .tooLarge)
    let many = "<a>" + String(repeating: "<b/>", count: 100) + "</a>"
    #expect(try read(many, limits: JSONLimits(nodes: 101))["a.b"]?.array?.count == 100)
    #expect(try fault(many.utf8, limits: JSONLimits(nodes: 100)).kind == .tooManyNodes)
    #expect(try fault("<a b='' c='' d=''/>".utf8, limits: JSONLimits(nodes: 3)).kind == .tooManyNodes)
    #expect(try fault("<a>1<!---->2<!---->3<!---->4</a>".utf8, limits: JSONLimits(nodes: 3)).kind == .tooManyNodes)
  }

  // Each would take minutes if its cost grew with the square of its size.
  @Test(arguments: [
    "<a>" + String(repeating: "x<b/>", count: 50_000) + "</a>",
    "<a " + (0..<25_000).map { "n\($0)=''" }.joined(separator: " ") + "/>",
    "<a>" + (0..<25_000).map { "<n\($0)/>" }.joined() + "</a>",
    "<a>" + String(repeating: "]", count: 250_000) + "</a>",
    "<a>" + String(repeating: "<!--x-->", count: 50_000) + "</a>",
    "<a>&#x" + String(repeating: "0", count: 250_000) + "41;</a>",
    String(repeating: "<a> ", count: 500) + String(repeating: " ", count: 250_000)
      + String(repeating: " </a>", count: 500),
  ]) func `the cost is in proportion to the size`(_ document: String) throws {
    for format in [XMLFormat(), XMLFormat(lists: ["a.b", "b"], attributes: .leftOut, trimsTexts: true)] {
      #expect(try read(document, format).kind == .object)
    }
  }
}
