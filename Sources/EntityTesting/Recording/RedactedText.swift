/// A text of a recording. In place of a mark, a request may have any text: perhaps only another interaction showed that
/// it is a secret.
struct RedactedText {
  private let pieces: [ArraySlice<UInt8>]
  private let ends: Set<UInt8>

  /// - Parameters:
  ///   - text: The text.
  ///   - ends: The characters that a secret can't have here: one secret does not cover several fields.
  init(_ text: some Sequence<UInt8>, endsAt ends: String) {
    self.ends = Set(ends.utf8)
    let mark = Array(RecordingRedaction.mark.utf8)
    var pieces: [ArraySlice<UInt8>] = []
    var rest = Array(text)[...]
    while let found = rest.firstRange(of: mark) {
      pieces.append(rest[..<found.lowerBound])
      rest = rest[found.upperBound...]
    }
    self.pieces = pieces + [rest]
  }

  /// Whether a text has the pieces between the marks in their order, and nothing before the first and behind the last
  /// piece.
  func matches(_ text: some Sequence<UInt8>) -> Bool {
    var rest = Array(text)[...]
    guard let first = pieces.first, let last = pieces.last, rest.starts(with: first) else { return false }
    guard pieces.count > 1 else { return rest.count == first.count }
    rest = rest.dropFirst(first.count)
    for piece in pieces.dropFirst().dropLast() where !piece.isEmpty {
      guard let found = rest.firstRange(of: piece), isSecret(rest[..<found.lowerBound]) else { return false }
      rest = rest[found.upperBound...]
    }
    return rest.count >= last.count && rest.suffix(last.count) == last && isSecret(rest.dropLast(last.count))
  }

  private func isSecret(_ text: ArraySlice<UInt8>) -> Bool { !text.contains { ends.contains($0) } }
}
