import EntityRequests
import Foundation
import Testing

@testable import Adapters

/// A head from the lines in which libcurl hands it over.
@Suite struct ResponseHeadTests {
  private func head(_ fields: String...) throws -> ResponseHead {
    var parser = ResponseHeadParser()
    for line in ["HTTP/1.1 200 OK"] + fields + [""] {
      _ = try Array("\(line)\r\n".utf8).withUnsafeBytes { bytes in try parser.add(bytes) }
    }
    return try #require(parser.head)
  }

  @Test(
    arguments: ["Content-Length", "content-length", "Transfer-Encoding", "TRANSFER-ENCODING"], [" ", "\t", " \t "])
  func `a blank before the colon of a field that says where the body ends is malformed`(_ name: String, _ blank: String)
  {
    let value = name.lowercased() == "content-length" ? "3" : "chunked"
    #expect(throws: ResponseHeadParser.Malformed.self) { try head("\(name)\(blank): \(value)") }
  }

  @Test func `a field that says where the body ends is not folded`() throws {
    #expect(throws: ResponseHeadParser.Malformed.self) { try head("Transfer-Encoding:", " chunked") }
    #expect(throws: ResponseHeadParser.Malformed.self) { try head("Content-Length: 3", "\t4") }
    let folded = try head("Content-Length: 3", "X-A: a", "  b")
    #expect(folded.contentLength == 3)
    #expect(folded.headers["X-A"] == "a b")
  }

  /// RFC 9112 §2.2.
  @Test func `a carriage return within a line is a space`() throws {
    let head = try head("X-A: a\rb", "X-B: a", "\tb\rc", "Content-Length: 3")
    #expect(head.headers["X-A"] == "a b")
    #expect(head.headers["X-B"] == "a b c")
  }

  @Test func `a blank before the colon of another field is no part of its name`() throws {
    let head = try head("X-A : a", "Content-Encoding : gzip", "Content-Length: 3")
    #expect(head.headers["X-A"] == "a")
    #expect(head.contentLength == 3)
    guard case .known(.gzip) = head.contentCoding else {
      Issue.record("\(head.contentCoding)")
      return
    }
  }

  @Test(arguments: [
    (["gzip"], "known(Adapters.ContentCoding.gzip)"), ([" X-GZIP ,identity"], "known(Adapters.ContentCoding.gzip)"),
    (["Deflate"], "known(Adapters.ContentCoding.deflate)"), (["identity", ""], "none"), (["none"], "none"),
    (["UTF-8"], "none"), (["utf8, gzip"], "known(Adapters.ContentCoding.gzip)"), (["br"], "unknown"),
    (["gzip", "gzip"], "unknown"), (["deflate, gzip"], "unknown"), ([], "none"),
  ])
  func `the coding of a body is read from all of its fields`(_ values: [String], _ coding: String) throws {
    var parser = ResponseHeadParser()
    for line in ["HTTP/1.1 200 OK"] + values.map({ "Content-Encoding: \($0)" }) + [""] {
      _ = try Array("\(line)\r\n".utf8).withUnsafeBytes { bytes in try parser.add(bytes) }
    }
    #expect("\(try #require(parser.head).contentCoding)" == coding)
  }

  @Test func `codings of the transfer that nobody asked for are malformed`() throws {
    for fields in [["chunked"], ["Chunked"], ["identity , chunked"], ["identity"]] {
      let one = try head("Transfer-Encoding: \(fields[0])")
      try one.checkTransferCoding()
      #expect(one.endsWithConnection == (fields == ["identity"]))
    }
    for value in ["gzip", "gzip, chunked", "chunked, chunked", "none", "utf-8"] {
      let one = try head("Transfer-Encoding: \(value)")
      #expect(throws: ResponseHeadParser.Malformed.self) { try one.checkTransferCoding() }
    }
  }

  @Test func `a transfer coding overrides a length`() throws {
    for fields in [
      ["Content-Length: 3", "Transfer-Encoding: chunked"], ["Transfer-Encoding: chunked", "Content-Length: 3"],
    ] {
      let head = try head(fields[0], fields[1])
      #expect(head.contentLength == nil)
      #expect(!head.endsWithConnection)
      #expect(head.headers["Content-Length"] == "3")
    }
    #expect(try head("Content-Length: 3", "Transfer-Encoding: identity").contentLength == 3)
  }

  @Test func `no secret is printed`() throws {
    let head = try head("Set-Cookie: id=s3cret", "X-Acme: s3cret", "Content-Type: text/plain")
    let response = HTTPResponse(status: 200, headers: head.headers, body: Data("s3cret".utf8))
    for value: Any in [
      head, head.headers, response, StreamedHTTPResponse(response), ReceivedResponse(head: head, body: Data()),
    ] {
      var text = "\(value) \([value]) \(String(reflecting: value)) "
      debugPrint(value, to: &text)
      dump(value, to: &text)
      #expect(!text.contains("s3cret"))
      // The bytes of a text, one after the other.
      #expect(!text.contains("115, 51, 99"))
      #expect(!text.contains("- 115\n"))
      #expect(text.contains("text/plain"))
    }
  }
}
