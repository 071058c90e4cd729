import Testing

@testable import LiveSample

@Suite("The keys of the showcase") struct LiveKeyTests {
  private func keys(_ pieces: String...) -> [Key] {
    var reader = KeyReader()
    return pieces.flatMap { reader.keys(Array($0.utf8)) }
  }

  @Test func `letters, arrows and control keys`() {
    #expect(keys("aé家") == [.text("a"), .text("é"), .text("家")])
    #expect(keys("\u{1B}[A\u{1B}[B\u{1B}OA\u{1B}[1~\u{1B}[F") == [.up, .down, .up, .home, .end])
    #expect(keys("\r\n\u{7F}\u{3}\u{15}") == [.enter, .enter, .backspace, .control("c"), .control("u")])
  }

  @Test func `an ESC at the end of a piece is the key, and one before a letter is the key and the letter`() {
    #expect(keys("\u{1B}", "j") == [.escape, .text("j")])
    #expect(keys("\u{1B}j") == [.escape, .text("j")])
  }

  @Test func `sequences that mean nothing here are one unknown key`() {
    #expect(keys("\u{1B}[1;5A") == [.unknown])
    #expect(keys("\u{1B}[15~x") == [.unknown, .text("x")])
    #expect(keys("\u{1B}[" + String(repeating: "1", count: 100)).allSatisfy { $0 == .unknown || $0 == .text("1") })
  }

  @Test func `a character and a sequence may come in pieces`() {
    var reader = KeyReader()
    #expect(Array("é".utf8).flatMap { reader.keys([$0]) } == [.text("é")])
    #expect(reader.keys([0x1B, 0x5B]) == [])
    #expect(reader.keys([0x41]) == [.up])
  }

  @Test func `bytes that are no UTF-8 are unknown, and what follows counts`() {
    var reader = KeyReader()
    #expect(
      reader.keys([0xFF, 0x61, 0xC3, 0x28, 0xED, 0xA0, 0x80]) == [
        .unknown, .text("a"), .unknown, .text("("), .unknown, .unknown, .unknown,
      ])
  }

  @Test func `any bytes are keys, and none is left`() {
    var random = SeededRandom(seed: 5)
    var reader = KeyReader()
    for _ in 0..<2_000 {
      _ = reader.keys(
        (0..<Int.random(in: 1...9, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) })
    }
    _ = reader.keys(Array("\u{1B}[201~".utf8))
    _ = reader.keys(Array("aaaa".utf8))
    #expect(reader.keys([0x71]) == [.text("q")])
  }

  @Test func `a pasted line ends no input`() {
    #expect(keys("\u{1B}[200~a\nb\u{1B}[201~\r") == [.text("a"), .text(" "), .text("b"), .enter])
  }

  @Test func `a line is typed, shortened, kept or left`() {
    var line = LineInput(label: "title", text: "Buy milk")
    func type(_ keys: Key...) -> [LineInput.Outcome] { keys.map { line.take($0) } }
    #expect(type(.backspace, .text("l"), .text("l")) == [.typing, .typing, .typing])
    #expect(line.text == "Buy milll")
    _ = type(.control("w"))
    #expect(line.text == "Buy ")
    _ = type(.control("u"), .backspace)
    #expect(line.text == "")
    for _ in 0..<2 * LineInput.limit { _ = type(.text("x")) }
    #expect(line.text.count == LineInput.limit)
    #expect(type(.up, .enter, .escape) == [.typing, .entered, .left])
  }

  @Test func `each key of the help does something`() {
    for (keys, _) in Command.keys {
      for key in keys.replacing("space", with: "-").split(separator: " ") where key != "arrows" && key != "-" {
        #expect(Command(.text(key.first ?? "?")) != nil, "\(key)")
      }
    }
    #expect(Command(.text(" ")) == .tick)
    #expect(Command(.text("Z")) == nil)
  }
}
