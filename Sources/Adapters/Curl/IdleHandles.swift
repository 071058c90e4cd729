internal import CCurl

/// Handles without a transfer, which keep the options of their adapter.
struct IdleHandles {
  private var handles: [CurlHandle] = []
  /// The least number of handles since the last trim: so many were not needed.
  private var least = 0
  private var nextTrim: Moment?

  private let limit: Int

  init(limit: Int) { self.limit = limit }

  /// The number of handles that are looked through.
  private static let reach = 16

  /// One of the last handles: a handle with the options of the adapter, or else a handle without options.
  ///
  /// - Returns: `nil` when there is none and few handles are idle: adapters that take turns then have a handle each.
  ///   When many are idle, any of them.
  mutating func take(for settings: CurlSettings) -> CurlHandle? {
    // Indices, and no slice: a slice would share the array of handles, and a change would copy it.
    let near = handles.indices.suffix(Self.reach)
    let index =
      near.last { handles[$0].settings === settings } ?? near.last { handles[$0].settings == nil }
      ?? (near.count < Self.reach ? nil : handles.endIndex - 1)
    guard let index else { return nil }
    handles.swapAt(index, handles.endIndex - 1)
    defer { least = min(least, handles.count) }
    return handles.popLast()
  }

  /// Keeps a handle, unless the limit is reached.
  mutating func add(_ handle: CurlHandle) {
    guard handles.count < limit else { return }
    if !handle.isPlain { handle.clear() }
    handles.append(handle)
  }

  /// Lets go of the handles that nobody needed between two trims. Each has a buffer, and options that may be secret.
  ///
  /// An idle engine wakes once a minute, so two minutes may lie between two trims. A handle that nobody needs is gone
  /// within four minutes.
  mutating func trim(_ now: Moment) {
    guard let nextTrim, now < nextTrim else {
      handles.removeFirst(nextTrim == nil ? 0 : min(least, handles.count))
      least = handles.count
      nextTrim = now + .seconds(60)
      return
    }
  }
}
