import AdapterDecorators
public import EntityRequests
public import Logging

extension RequestAdapter {
  /// This adapter, with the lines of its log in a logger of swift-log.
  ///
  /// - Parameter logger: Gets failures as warnings, and all else as its level `debug`.
  public func logging(to logger: Logger) -> some RequestAdapter {
    logging { line in
      // Made only where the logger takes the line.
      func metadata() -> Logger.Metadata { ["request": "\(line.number)", "curl": "\(line.curlCommand)"] }
      if case .failed = line.event {
        logger.warning("\(line)", metadata: metadata())
      } else {
        logger.debug("\(line)", metadata: metadata())
      }
    }
  }
}
