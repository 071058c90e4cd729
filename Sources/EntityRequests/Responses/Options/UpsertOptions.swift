/// The options of a response that say how its transaction goes.
struct UpsertOptions: Sendable {
  /// Whether the transaction is undone at its end.
  var isDryRun = false
  /// Whether objects that can't be taken in are skipped; `nil` where nobody says.
  var givenSkips: Bool?
  /// Whether properties keep their values where those of the response can't be read.
  var keepsValues = false
  /// Whether the keys that nothing reads are noted.
  var reportsUnreadKeys = false
  var givenMode: UpsertMode?
  var givenUnnamed: UnnamedObjects?

  var skips: Bool { givenSkips ?? false }
  var mode: UpsertMode { givenMode ?? .insertOrUpdate }
  var unnamed: UnnamedObjects { givenUnnamed ?? .refuse }

  /// Takes those of a later option.
  mutating func add(_ later: Self) {
    isDryRun = isDryRun || later.isDryRun
    givenSkips = later.givenSkips ?? givenSkips
    keepsValues = keepsValues || later.keepsValues
    reportsUnreadKeys = reportsUnreadKeys || later.reportsUnreadKeys
    givenMode = later.givenMode ?? givenMode
    givenUnnamed = later.givenUnnamed ?? givenUnnamed
  }
}
