extension StoreOptions {
  /// Whether the file of a store keeps a history of its commits, and for how long: see ``StoreOptions/history``.
  public enum History: Sendable, Hashable {
    /// The file keeps no history.
    case off
    /// The file keeps all commits from now on.
    case keepingAll
    /// The file keeps the commits of a span of time. Older commits are removed little by little, with later commits. A
    /// time below zero counts as zero, and a time of more than 10¹⁵ seconds counts as 10¹⁵ seconds.
    case keeping(Duration)
  }
}

extension StoreOptions.History {
  /// The policy as it stands in the file.
  var stored: StoredValue {
    switch self {
    case .off: .null
    case .keepingAll: .text("all")
    case .keeping(let duration): .real(Self.kept(duration.seconds))
    }
  }

  /// - Parameter stored: NULL, or nothing, in a file without a history. Another program may have written any number.
  init(stored: StoredValue) {
    switch stored {
    case .null: self = .off
    case .real(let seconds): self = .keeping(.seconds(Self.kept(seconds)))
    case .integer(let seconds): self = .keeping(.seconds(Self.kept(Double(seconds))))
    case .text, .blob: self = .keepingAll
    }
  }

  /// The seconds, within the bounds of a duration.
  private static func kept(_ seconds: Double) -> Double { .minimum(.maximum(seconds, 0), 1e15) }
}

extension Duration {
  fileprivate var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
