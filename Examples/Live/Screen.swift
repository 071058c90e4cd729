import EntityClient

/// The screen shows this value, and nothing else.
struct Screen: Equatable {
  struct Row: Equatable, Identifiable {
    let id: EntityID<Todo>
    var title: String
    var isDone = false
    var state = State.sent
    /// Whether somebody else has just changed the row.
    var isMarked = false
  }

  /// The state of a row's changes, as the outbox has it.
  enum State: Equatable {
    case sent, waiting, sending, deletedThere, unknown
    case refused(String)
    case conflict(theirs: String)
  }

  enum Page: Equatable {
    case list, help
    case inspector(String)
  }

  var rows: [Row] = []
  var selected: Int?
  /// "3 waiting, 1 refused, offline".
  var headline = ""
  var message = ""
  var input: LineInput?
  var page = Page.list
}

/// A piece of a line, and how it looks.
struct Span: Equatable {
  enum Style { case plain, strong, faint, good, notice, bad, chosen }

  var text: String
  var style = Style.plain
}

typealias Line = [Span]

extension Screen {
  /// The lines of the screen, at most so many, none of them wider.
  func lines(columns: Int, rows height: Int) -> [Line] {
    guard columns > 0, height > 0 else { return [] }
    switch page {
    case .list: return list(columns, height)
    case .help:
      let keys = Command.keys.map { key, effect in
        [Span(text: PlainText(" " + key, columns: columns).padded(to: min(14, columns)), style: .strong)]
          + span(effect, .plain, columns - 14)
      }
      return keys.prefix(max(0, height - 1)) + [span("any key: back", .faint, columns)]
    case .inspector(let url):
      // In pieces of whole lines, without a space before them: what a person copies is the URL.
      let pieces = url.pieces(of: columns).map { [Span(text: $0, style: .strong)] }
      let head = ["The inspector shows the store: rows, edits, requests.", "Open this in a browser of this machine:"]
      let lines = head.map { span($0, .plain, columns) } + pieces + [span("any key: back", .faint, columns)]
      return Array((lines.count > height ? pieces : lines).prefix(height))
    }
  }

  private func list(_ columns: Int, _ height: Int) -> [Line] {
    let title = PlainText(" Todos ", columns: columns)
    let status = PlainText(headline, columns: max(0, columns - title.width - 1))
    let gap = String(repeating: " ", count: max(0, columns - title.width - status.width - 1))
    var head: [Line] = [[Span(text: title.text, style: .strong), Span(text: gap + status.text, style: headlineStyle)]]
    var details = details(columns)
    var foot = message.wrapped(columns).prefix(4).map { span($0, .notice, columns) } + [hints(columns)]
    if let input { foot = [typing(input, columns), span(" Enter keeps it, Esc leaves it", .faint, columns)] }
    // In a low window the list stays, and the line that is typed.
    if head.count + details.count + foot.count >= height { foot.removeLast() }
    if head.count + details.count + foot.count >= height, input == nil { foot = [] }
    if head.count + details.count + foot.count >= height { details = [] }
    if head.count + foot.count >= height { head = [] }
    if foot.count >= height { return Array(foot.prefix(height)) }

    let room = height - head.count - details.count - foot.count
    let first = max(0, min((selected ?? 0) - room / 2, rows.count - room))
    let shown = rows.indices.dropFirst(first).prefix(room).map { row(rows[$0], isSelected: $0 == selected, columns) }
    let empty = [Line](repeating: [], count: room - shown.count)
    return head + shown + empty + details + foot
  }

  private var headlineStyle: Span.Style {
    if rows.contains(where: { $0.state.needsPerson }) { return .bad }
    return headline == Self.allSent ? .good : .notice
  }

  static let allSent = "all sent, live"

  private func row(_ row: Row, isSelected: Bool, _ columns: Int) -> Line {
    let words = row.state.note.isEmpty && row.isMarked ? "changed" : row.state.note
    let note = PlainText(words, columns: columns < 24 ? 0 : columns / 3)
    let room = columns - (note.width > 0 ? note.width + 1 : 0)
    let start = isSelected ? "> " : "  "
    let box = row.isDone ? "[x] " : "[ ] "
    let text = PlainText(start + box + row.title, columns: room).padded(to: room)
    let style: Span.Style = isSelected ? .chosen : row.isMarked ? .notice : row.isDone ? .faint : .plain
    return [Span(text: text, style: style), Span(text: note.width > 0 ? " " + note.text : "", style: row.state.style)]
  }

  /// The words about the selected row beside its title, and the keys by which a person settles it.
  private func details(_ columns: Int) -> [Line] {
    guard let selected, rows.indices.contains(selected) else { return [] }
    let row = rows[selected]
    let texts: [String]
    switch row.state {
    case .sent, .waiting, .sending: return []
    case .conflict(let theirs): texts = ["m: keep mine    \(row.title)", "t: take theirs  \(theirs)"]
    case .refused(let reason): texts = ["refused: \(reason)", "e: edit it   m: send it again   t: give it up"]
    case .deletedThere: texts = ["deleted at the server", "m: make it anew   t: delete it here too"]
    case .unknown: texts = ["the answer was lost", "m: send it again   t: give it up"]
    }
    return texts.map { span(" " + $0, .bad, columns) }
  }

  /// The end of the line that is typed: there the next character comes.
  private func typing(_ input: LineInput, _ columns: Int) -> Line {
    let label = PlainText(" " + input.label + ": ", columns: columns / 2)
    let room = columns - label.width - 1
    var end = Substring(input.text.suffix(max(0, room)))
    while !end.isEmpty, PlainText(end).width > room { end.removeFirst() }
    return [Span(text: label.text, style: .strong), Span(text: PlainText(end).text + "_")]
  }

  private func hints(_ columns: Int) -> Line {
    var text = " ?: help"
    for hint in ["q: quit", "o: offline", "c: Grace edits", "i: inspector", "e: edit", "n: new", "space: tick"]
    where text.count + hint.count + 2 <= columns { text += "  " + hint }
    return span(text, .faint, columns)
  }

  private func span(_ text: String, _ style: Span.Style, _ columns: Int) -> Line {
    columns > 0 ? [Span(text: PlainText(text, columns: columns).text, style: style)] : []
  }
}

extension Screen.State {
  var needsPerson: Bool {
    switch self {
    case .sent, .waiting, .sending: false
    case .deletedThere, .unknown, .refused, .conflict: true
    }
  }

  /// For the end of a row.
  var note: String {
    switch self {
    case .sent: ""
    case .waiting: "waiting"
    case .sending: "sending"
    case .deletedThere: "deleted there"
    case .unknown: "unknown"
    case .refused: "refused"
    case .conflict: "conflict"
    }
  }

  fileprivate var style: Span.Style { needsPerson ? .bad : .notice }
}

extension String {
  /// The words in lines, each with a space before it.
  fileprivate func wrapped(_ columns: Int) -> [String] {
    split(separator: " ").reduce(into: []) { lines, word in
      if let last = lines.last, last.count + word.count < columns {
        lines[lines.count - 1] += " " + word
      } else {
        lines.append(" " + word)
      }
    }
  }

  fileprivate func pieces(of count: Int) -> [String] {
    var (pieces, rest) = ([String](), self[...])
    while !rest.isEmpty {
      pieces.append(String(rest.prefix(count)))
      rest = rest.dropFirst(count)
    }
    return pieces
  }
}
