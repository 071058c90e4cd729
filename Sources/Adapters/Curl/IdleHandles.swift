internal import CCurl

/// Handles without a transfer, which keep the options of their adapter.
struct IdleHandles {
  private var handles: [CurlHandle] = []
  /// How many were there at the least since the last look: so many were not needed.
  private var least = 0
  private var nextTrim: Moment?

  private let limit: Int

  init(limit: Int) { self.limit = limit }

  /// The number of handles that are looked through.
  private static let reach = 16

  /// One of the last handles: one that has the options of the adapter, else one without options.
  ///
  /// - Returns: `nil` where there is none and few handles are idle: adapters that take turns then have a handle each. Of
  ///   many handles any.
  mutating func take(for settings: CurlSettings) -> CurlHandle? {
    // Places, and no slice: one more holder of the handles would have them all copied.
    let near = handles.indices.suffix(Self.reach)
    let index =
      near.last { handles[$0].settings === settings } ?? near.last { handles[$0].settings == nil }
      ?? (near.count < Self.reach ? nil : handles.endIndex - 1)
    guard let index else { return nil }
    handles.swapAt(index, handles.endIndex - 1)
    defer { least = min(least, handles.count) }
    return handles.popLast()
  }

  /// Keeps a handle, unless there are enough of these.
  mutating func add(_ handle: CurlHandle) {
    guard handles.count < limit else { return }
    if !handle.isPlain { handle.clear() }
    handles.append(handle)
  }

  /// Lets go of those that nobody needed between two looks: each has a buffer, and options that may be secret.
  ///
  /// An idle engine wakes once a minute, so two minutes may lie between two looks, and a handle that nobody needs is gone
  /// within four.
  mutating func trim(_ now: Moment) {
    guard let nextTrim, now < nextTrim else {
      handles.removeFirst(nextTrim == nil ? 0 : min(least, handles.count))
      least = handles.count
      nextTrim = now + .seconds(60)
      return
    }
  }
}
