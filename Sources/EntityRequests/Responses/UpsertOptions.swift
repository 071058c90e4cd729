/// The options of a response that say how its transaction goes.
struct UpsertOptions: Sendable {
  /// Whether the transaction is undone at its end.
  var isDryRun = false
  /// Whether objects that can't be taken in are skipped; `nil` where nobody says.
  var givenSkips: Bool?

  var skips: Bool { givenSkips ?? false }

  /// Takes those of a later option.
  mutating func add(_ later: Self) {
    isDryRun = isDryRun || later.isDryRun
    givenSkips = later.givenSkips ?? givenSkips
  }
}
