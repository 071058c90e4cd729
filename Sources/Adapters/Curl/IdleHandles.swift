internal import CCurl

/// Handles without a transfer, which keep the options of their adapter.
struct IdleHandles {
  private var handles: [CurlHandle] = []
  /// How many were there at the least since the last look: so many were not needed.
  private var least = 0
  private var nextTrim: ContinuousClock.Instant?

  private let limit: Int

  init(limit: Int) { self.limit = limit }

  /// One that has the options of the adapter, if it is among the last ones; else any.
  mutating func take(for settings: CurlSettings) -> CurlHandle? {
    if let near = handles.suffix(16).lastIndex(where: { $0.settings === settings }) {
      handles.swapAt(near, handles.endIndex - 1)
    }
    defer { least = min(least, handles.count) }
    return handles.popLast()
  }

  /// Keeps a handle, unless there are enough of these.
  mutating func add(_ handle: CurlHandle) {
    guard handles.count < limit else { return }
    if !handle.isPlain { handle.clear() }
    handles.append(handle)
  }

  /// Lets go of those that nobody needed for a minute: each has a buffer, and options that may be secret.
  mutating func trim(_ now: ContinuousClock.Instant) {
    guard let nextTrim, now < nextTrim else {
      handles.removeFirst(nextTrim == nil ? 0 : min(least, handles.count))
      least = handles.count
      nextTrim = now + .seconds(60)
      return
    }
  }
}
