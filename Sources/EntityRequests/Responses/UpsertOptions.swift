/// The options of a response that say how its transaction goes.
struct UpsertOptions: Sendable {
  /// Whether the transaction is undone at its end.
  var isDryRun = false

  /// Takes those of a later option.
  mutating func add(_ later: Self) {
    isDryRun = isDryRun || later.isDryRun
  }
}
