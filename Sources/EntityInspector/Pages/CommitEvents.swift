import EntityStore

/// Tells a page of the commits since it was made, and of the requests. A commit of any process counts, and so does a write of
/// another program, which has no number.
final class CommitEvents {
  private let location: StoreLocation
  private let requests: RequestLog?
  /// A request that ended while the page was on its way is told once more than needed.
  private var lastRequest = 0
  private var reader: StoreFileReader?
  private var version: Int64?
  private var generation: Int64?

  /// - Parameter generation: The generation that the page shows.
  init(_ location: StoreLocation, _ requests: RequestLog?, after generation: Int64?) {
    self.location = location
    self.requests = requests
    self.generation = generation
  }

  /// The events that came since the last call, as a part of a stream; empty for none. It is called on one thread.
  func next() -> String? { commit() + request() }

  private func request() -> String {
    guard let last = requests?.last, last != lastRequest else { return "" }
    lastRequest = last
    return "event: request\ndata: {\"number\":\(last)}\n\n"
  }

  private func commit() -> String {
    do {
      let reader = try self.reader ?? StoreFileReader(location)
      self.reader = reader
      try reader.checkFile()
      let version = try reader.dataVersion()
      guard version != self.version else { return "" }
      let isFirst = self.version == nil
      self.version = version
      let last = try reader.generation()
      guard !isFirst || last != generation else { return "" }
      generation = last
      return "event: commit\ndata: {\"generation\":\(last)}\n\n"
    } catch {
      // Another file stands in the place of the file, or the file is being written: the next call looks again.
      (reader, version) = (nil, nil)
      return ""
    }
  }
}
