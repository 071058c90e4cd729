@testable import EntityRequests
import Foundation
import TestSupport
import Testing

/// The event stream of the WHATWG's HTML standard (§9.2.5, §9.2.6), cut at every byte.
struct EventStreamParserTests {
  /// Streams, and their events as "kind|data|id".
  static let cases: [(stream: String, events: [String])] = [
    // The examples of the standard.
    ("data: YHOO\ndata: +2\ndata: 10\n\n", ["message|YHOO\n+2\n10|-"]),
    (
      ": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n",
      ["message|first event|1", "message|second event|-", "message| third event|-"]
    ),
    ("data\n\ndata\ndata\n\ndata:", ["message||-", "message|\n|-"]),
    ("data:test\n\ndata: test\n\n", ["message|test|-", "message|test|-"]),
    ("event: add\ndata: 73857293\n\nevent: remove\ndata: 2153\n\n", ["add|73857293|-", "remove|2153|-"]),
    // The ends of lines.
    ("data: a\r\ndata: b\rdata: c\n\r\ndata: d\r\r", ["message|a\nb\nc|-", "message|d|-"]),
    ("data: a\r\n\r\n\r\ndata: b\r\r\n", ["message|a|-", "message|b|-"]),
    ("\r\n\r\rdata: a\n\r", ["message|a|-"]),
    // A mark at the beginning is none of the first line, and a second one is.
    ("\u{FEFF}data: a\n\n", ["message|a|-"]), ("\u{FEFF}\u{FEFF}data: a\n\ndata: b\n\n", ["message|b|-"]),
    // An event without data is none, and its kind is forgotten. Its id is not.
    ("event: x\n\ndata: a\n\n", ["message|a|-"]), ("id: 7\n\ndata: a\n\n", ["message|a|7"]),
    // The id stays until another one; one with NUL is ignored; an empty one ends it.
    (
      "id: 7\ndata: a\n\ndata: b\n\nid: 8\u{0}\ndata: c\n\nid:\ndata: d\n\n",
      ["message|a|7", "message|b|7", "message|c|7", "message|d|-"]
    ),
    // The last of several fields counts; one blank is left out; unknown names, and names in capitals, are ignored.
    ("event: x\nevent: y\ndata: a\n\n", ["y|a|-"]), ("event:\ndata: a\n\n", ["message|a|-"]),
    ("data:   a \n\n", ["message|  a |-"]), ("Data: a\nother: b\n data: c\ndata : d\n\ndata: e\n\n", ["message|e|-"]),
    ("data: a:b: c\n\n", ["message|a:b: c|-"]), (":\n:data: a\n\n", []), ("data: ä 日本 🎈\n\n", ["message|ä 日本 🎈|-"]),
    // Without an empty line at its end, an event is lost.
    ("data: a\n\ndata: b\n", ["message|a|-"]), ("", []), ("\n", []),
  ]

  private func shown(_ events: [PushedMessage]) -> [String] { events.map { "\($0.kind)|\($0.text)|\($0.id ?? "-")" } }

  private func parser(_ change: (inout EventStreamOptions) -> Void = { _ in }) -> EventStreamParser {
    var options = EventStreamOptions()
    change(&options)
    return EventStreamParser(lastID: "", options)
  }

  @Test(arguments: cases) func `a stream is read the same at every cut`(_ stream: String, _ events: [String]) throws {
    let bytes = Data(stream.utf8)
    for cut in 0...bytes.count {
      for second in cut...bytes.count {
        var parser = parser()
        var found = try parser.add(Data(bytes[..<cut]))
        found += try parser.add(Data(bytes[cut..<second]))
        found += try parser.add(Data(bytes[second...]))
        try #require(shown(found) == events, "cut at \(cut) and \(second)")
      }
    }
    var parser = parser()
    var found: [PushedMessage] = []
    for byte in bytes { found += try parser.add(Data([byte])) }
    #expect(shown(found) == events)
  }

  @Test(arguments: [
    ("retry: 1500\n", 1500), ("retry:0\n", 0), ("retry: 1500\nretry: x\n", 1500), ("retry: 1 \n", nil),
    ("retry: -1\n", nil), ("retry: 1.5\n", nil), ("retry:\n", nil), ("retry\n", nil), ("retry: ２\n", nil),
    ("retry: 99999999999999999999\n", Int.max),
  ]) func `only digits name a wait`(_ stream: String, _ retry: Int?) throws {
    var parser = parser()
    #expect(try parser.add(Data(stream.utf8)).isEmpty)
    #expect(parser.retry == retry)
  }

  @Test func `an id counts once its block has ended`() throws {
    var parser = EventStreamParser(lastID: "3", EventStreamOptions())
    #expect(try parser.add(Data("data: a\n\n".utf8)).first?.id == "3")
    _ = try parser.add(Data("id: 4\ndata: b\n".utf8))
    #expect(parser.lastID == "3")
    _ = try parser.add(Data("\n".utf8))
    #expect(parser.lastID == "4")
    _ = try parser.add(Data("id: 5\n\n".utf8))
    #expect(parser.lastID == "5")
  }

  @Test func `bytes that are no UTF-8 stay as they are`() throws {
    var parser = parser()
    let events = try parser.add(Data(Array("data: ".utf8) + [0xFF, 0x0A, 0x0A]))
    #expect(events.map(\.data) == [Data([0xFF])])
    #expect(events.map(\.text) == ["\u{FFFD}"])
  }

  @Test func `lines and events have limits`() throws {
    var parser = parser { $0.maximumLineBytes = 10 }
    #expect(try parser.add(Data("data: 1234\n\n".utf8)).count == 1)
    #expect(throws: RequestError.self) {
      for _ in 0..<3 { _ = try parser.add(Data("data".utf8)) }
    }
    parser = self.parser { $0.maximumEventBytes = 10 }
    #expect(try parser.add(Data("data: 123456789\n\n".utf8)).count == 1)
    let error = #expect(throws: RequestError.self) { try parser.add(Data("data: 12345\ndata: 67890\n".utf8)) }
    #expect(error?.description == "An event of the stream has more than 10 bytes.")
  }

  @Test func `random streams in random pieces are read as they are in one`() async {
    await Seeds.each(300, sanitized: 20, "pieces") { seed, steps in
      var random = SeededRandom(seed)
      let words = [
        "data", "event", "id", "retry", ":", ": ", " ", "\n", "\r", "\r\n", "\n\n", "a", "é", "7", "\u{0}", "\u{FEFF}",
      ]
      let text = (0..<60).map { _ in words[random.below(words.count)] }.joined()
      steps = text.debugDescription
      var whole = self.parser()
      let expected = self.shown(try whole.add(Data(text.utf8)))
      var parser = self.parser()
      var found: [PushedMessage] = []
      var rest = Data(text.utf8)[...]
      while !rest.isEmpty {
        let piece = rest.prefix(1 + random.below(9))
        rest = rest.dropFirst(piece.count)
        found += try parser.add(piece)
      }
      try #require(self.shown(found) == expected)
      try #require(parser.lastID == whole.lastID && parser.retry == whole.retry)
    }
  }
}
