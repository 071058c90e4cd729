extension String {
  /// The text without these ASCII characters at both ends.
  ///
  /// Every request runs this function. Foundation's `trimmingCharacters` makes a set of characters and reads the text
  /// as UTF-16, on Linux even when there is nothing to trim.
  package func trimming(_ isTrimmed: (UInt8) -> Bool) -> String {
    guard let first = utf8.first, let last = utf8.last, isTrimmed(first) || isTrimmed(last) else { return self }
    var rest = utf8.drop(while: isTrimmed)
    while let last = rest.last, isTrimmed(last) { rest.removeLast() }
    return String(Substring(rest))
  }
}
