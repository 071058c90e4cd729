import EntityClient
import Testing

@testable import LiveSample

@Suite("The screen of the showcase") struct LiveScreenTests {
  private func row(_ number: Int, _ title: String, _ state: Screen.State = .sent) throws -> Screen.Row {
    Screen.Row(id: try #require(EntityID("Todo/\(number)")), title: title, state: state)
  }

  private func text(_ screen: Screen, _ columns: Int, _ rows: Int) -> [String] {
    screen.lines(columns: columns, rows: rows).map { $0.map(\.text).joined() }
  }

  private func screen(_ rows: [Screen.Row], selected: Int? = 0) -> Screen {
    Screen(rows: rows, selected: selected, headline: Screen.allSent)
  }

  @Test func `rows, their states and the keys`() throws {
    var rows = [try row(1, "Buy milk"), try row(2, "Call the plumber", .waiting), try row(3, "Mend")]
    rows[0].isDone = true
    rows[2].isMarked = true
    let lines = text(screen(rows), 50, 8)
    #expect(lines.count == 8)
    #expect(lines[0] == " Todos                             all sent, live")
    #expect(lines[1].hasPrefix("> [x] Buy milk  "))
    #expect(lines[2].hasPrefix("  [ ] Call the plumber ") && lines[2].hasSuffix(" waiting"))
    #expect(lines[3].hasSuffix(" changed"))
    #expect(lines[7] == " ?: help  q: quit  o: offline  c: Grace edits")
  }

  @Test func `both values of a conflict, and the keys that settle it`() throws {
    let lines = text(screen([try row(1, "Buy soy milk", .conflict(theirs: "Buy oat milk"))]), 60, 8)
    #expect(lines[1].hasSuffix(" conflict"))
    #expect(lines.contains(" m: keep mine    Buy soy milk"))
    #expect(lines.contains(" t: take theirs  Buy oat milk"))
    let refused = text(screen([try row(1, "", .refused("A todo needs a title."))]), 60, 8)
    #expect(refused.contains(" refused: A todo needs a title."))
  }

  @Test func `a screen of any size is filled, and no line is wider`() throws {
    let titles = [
      "Buy milk", "家の鍵を探す", String(repeating: "e\u{301}\u{301}\u{301}\u{301}\u{301}", count: 300), "\u{1B}[2J", "👩‍👩‍👧 a",
    ]
    let states: [Screen.State] = [.sent, .waiting, .refused("no"), .conflict(theirs: titles[1]), .deletedThere]
    var rows: [Screen.Row] = []
    for number in 1...40 { rows.append(try row(number, titles[number % 5], states[number % 5])) }
    for selected in [nil, 0, 2, 39] {
      for input in [nil, LineInput(label: "title", text: titles[1] + titles[2])] {
        for page in [
          Screen.Page.list, .help, .inspector("http://127.0.0.1:51234/?token=" + String(repeating: "a", count: 43)),
        ] {
          var screen = screen(rows, selected: selected)
          (screen.input, screen.page, screen.message) = (input, page, "Grace has changed the title at the server.")
          for columns in 1...90 {
            for height in [1, 2, 3, 4, 5, 6, 10, 24] {
              let lines = text(screen, columns, height)
              let place = "\(columns)×\(height), \(page), \(input == nil ? "list" : "input")"
              #expect(lines.count <= height && (page != .list || lines.count == height), "\(place)")
              #expect(lines.allSatisfy { PlainText($0).width <= columns }, "\(place)")
              #expect(!lines.joined().unicodeScalars.contains { $0.properties.generalCategory == .control }, "\(place)")
              guard page == .list, input == nil, selected != nil, columns > 2 else { continue }
              #expect(lines.count { $0.hasPrefix("> ") } == 1, "the selected row is not there: \(place)")
            }
          }
        }
      }
    }
    #expect(text(screen([]), 0, 0) == [])
    #expect(text(screen([], selected: nil), 30, 4).count == 4)
  }

  @Test func `a text is cut to columns, and nothing in it is a command to the terminal`() {
    #expect(PlainText("Buy milk", columns: 8).text == "Buy milk")
    #expect(PlainText("Buy milk", columns: 7).text == "Buy mi…")
    #expect(PlainText("Buy milk", columns: 1).text == "…")
    #expect(PlainText("Buy milk", columns: 0).text == "")
    #expect(PlainText("家の鍵", columns: 5).text == "家の…")
    #expect(PlainText("家の鍵", columns: 4).text == "家…")
    #expect(PlainText("\u{1B}]0;x\u{7}\u{9B}\u{202E}\n").text == "\u{FFFD}]0;x\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}")
    #expect(PlainText("e" + String(repeating: "\u{301}", count: 9_000)).text.unicodeScalars.count == 5)
    #expect(PlainText("é").width == 1)
    #expect(PlainText("e\u{301}").width == 1)
  }

  @Test func `without a terminal each change is a line`() throws {
    let first = screen([try row(1, "Buy milk"), try row(2, "Mend")])
    #expect(Transcript.lines(from: Screen(), to: first) == ["[ ] Buy milk", "[ ] Mend", "-- all sent, live"])
    var second = screen([try row(1, "Buy milk\u{1B}", .conflict(theirs: "Buy oat milk"))])
    second.headline = "1 in conflict, live"
    second.message = "Read."
    #expect(
      Transcript.lines(from: first, to: second) == [
        "gone: Mend", "[ ] Buy milk\u{FFFD} (conflict; theirs: Buy oat milk)", "-- 1 in conflict, live", "Read.",
      ])
    #expect(Transcript.lines(from: second, to: second) == [])
  }
}
