/// The screen where there is none: a line for each change, for a pipe, a file or a test.
enum Transcript {
  static func lines(from old: Screen, to new: Screen) -> [String] {
    var lines: [String] = []
    let before = Dictionary(old.rows.map { ($0.id, $0) }) { $1 }
    let after = Set(new.rows.map(\.id))
    for row in old.rows where !after.contains(row.id) { lines.append("gone: " + row.title) }
    for row in new.rows {
      var same = before[row.id]
      same?.isMarked = row.isMarked
      if same != row { lines.append(line(row)) }
    }
    if new.headline != old.headline { lines.append("-- " + new.headline) }
    if new.message != old.message, !new.message.isEmpty { lines.append(new.message) }
    if new.page != old.page {
      switch new.page {
      case .list: break
      case .help: lines += Command.keys.map { "\($0): \($1)" }
      case .inspector(let url): lines.append(url)
      }
    }
    return lines.map { PlainText($0, columns: 1_000).text }
  }

  private static func line(_ row: Screen.Row) -> String {
    let note = row.state.note
    let theirs = if case .conflict(let theirs) = row.state { "; theirs: " + theirs } else { "" }
    let reason = if case .refused(let reason) = row.state { ": " + reason } else { "" }
    return (row.isDone ? "[x] " : "[ ] ") + row.title + (note.isEmpty ? "" : " (\(note)\(reason)\(theirs))")
  }
}
