/// An action of the person, beside typing.
enum Command: Equatable {
  case move(Int)
  case edit, tick, add, delete, undo
  case switchNetwork, refresh, colleagueEdits, colleagueDeletes, mine, theirs
  case inspector, help, back, quit

  /// - Returns: `nil` for a key without a meaning.
  init?(_ key: Key) {
    switch key {
    case .up, .text("k"): self = .move(-1)
    case .down, .text("j"): self = .move(1)
    case .home: self = .move(-.max)
    case .end: self = .move(.max)
    case .text("e"), .enter: self = .edit
    case .text(" "): self = .tick
    case .text("n"): self = .add
    case .text("d"): self = .delete
    case .text("u"): self = .undo
    case .text("o"): self = .switchNetwork
    case .text("r"): self = .refresh
    case .text("c"): self = .colleagueEdits
    case .text("C"): self = .colleagueDeletes
    case .text("m"): self = .mine
    case .text("t"): self = .theirs
    case .text("i"): self = .inspector
    case .text("?"): self = .help
    case .escape: self = .back
    case .text("q"), .control("c"), .control("d"): self = .quit
    default: return nil
    }
  }

  /// For the page of help.
  static let keys = [
    ("j k, arrows", "move"), ("space", "tick"), ("e", "edit the title; the server refuses an empty one"), ("n", "new"),
    ("d", "delete"), ("u", "undo"), ("o", "offline, and online again"), ("c", "Grace edits this title at the server"),
    ("C", "Grace deletes this todo at the server"), ("m", "settle: mine counts"), ("t", "settle: theirs counts"),
    ("r", "read all from the server"), ("i", "the URL of the inspector"),
    ("q", "quit; what waits is sent by the next start"),
  ]
}

/// A line that is typed.
struct LineInput: Equatable {
  enum Outcome { case typing, entered, left }

  let label: String
  var text: String
  /// In characters: beyond the longest title that the server takes, so that it can refuse one.
  static let limit = 1_000

  mutating func take(_ key: Key) -> Outcome {
    switch key {
    case .text(let character) where text.count < Self.limit: text.append(character)
    case .backspace where !text.isEmpty: text.removeLast()
    case .control("u"): text = ""
    case .control("w"): text = text.split(separator: " ").dropLast().map { $0 + " " }.joined()
    case .enter: return .entered
    case .escape, .control("c"): return .left
    default: break
    }
    return .typing
  }
}
