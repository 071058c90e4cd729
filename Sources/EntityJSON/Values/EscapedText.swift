extension StringProtocol {
  /// The text for messages: control characters as `\u{…}`.
  package var escaped: String {
    unicodeScalars.reduce(into: "") {
      $0 += $1.value < 0x20 || $1.value == 0x7F ? $1.escaped(asASCII: true) : String($1)
    }
  }
}
