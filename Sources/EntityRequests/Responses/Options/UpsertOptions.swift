/// The options of a response that say how its transaction goes.
struct UpsertOptions: Sendable {
  /// Whether the transaction is undone at its end.
  var isDryRun = false
  /// Whether objects that can't be taken in are skipped; `nil` when no option says so.
  var givenSkips: Bool?
  /// True when a property keeps its value if the response's value can't be read.
  var keepsValues = false
  /// True when the keys that nothing reads are reported.
  var reportsUnreadKeys = false
  /// True when the server says that all objects are deleted. No option of a response says so; a message does.
  var saysDeleted = false
  /// Whether lists are read from their end.
  var isNewestFirst = false
  var givenMode: UpsertMode?
  var givenUnnamed: UnnamedObjects?
  /// The client's values that mean nothing.
  var nothing: NothingValues = []

  var skips: Bool { givenSkips ?? false }
  var mode: UpsertMode { givenMode ?? .insertOrUpdate }
  var unnamed: UnnamedObjects { givenUnnamed ?? .refuse }

  /// Adds the options of a later value.
  mutating func add(_ later: Self) {
    isDryRun = isDryRun || later.isDryRun
    givenSkips = later.givenSkips ?? givenSkips
    keepsValues = keepsValues || later.keepsValues
    reportsUnreadKeys = reportsUnreadKeys || later.reportsUnreadKeys
    isNewestFirst = isNewestFirst || later.isNewestFirst
    givenMode = later.givenMode ?? givenMode
    givenUnnamed = later.givenUnnamed ?? givenUnnamed
  }
}
