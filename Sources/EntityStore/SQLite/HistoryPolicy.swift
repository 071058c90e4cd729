/// Whether the file of a store keeps a log of its commits, and for how long: see ``StoreOptions/history``.
public enum HistoryPolicy: Sendable, Hashable {
  /// The file keeps none.
  case off
  /// All commits from now on.
  case keepingAll
  /// The commits of a time before now. Older ones go bit by bit, with later commits.
  case keeping(Duration)
}

extension HistoryPolicy {
  /// The policy as it stands in the file.
  var stored: StoredValue {
    switch self {
    case .off: .null
    case .keepingAll: .text("all")
    case .keeping(let duration): .real(duration.seconds)
    }
  }

  /// - Parameter stored: NULL, or nothing, in a file that keeps no log.
  init(stored: StoredValue) {
    switch stored {
    case .null: self = .off
    case .real(let seconds): self = .keeping(.seconds(seconds))
    case .integer(let seconds): self = .keeping(.seconds(seconds))
    case .text, .blob: self = .keepingAll
    }
  }
}

extension Duration {
  fileprivate var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
