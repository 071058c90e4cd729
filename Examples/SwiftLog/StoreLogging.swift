public import EntityStore
public import Logging

extension StoreLog {
  /// The log of a store, in a logger of swift-log.
  ///
  /// - Parameters:
  ///   - logger: Gets slow work and loops as warnings. With the level `trace` it gets all statements.
  ///   - slowerThan: The time from which on work is slow.
  public init(to logger: Logger, slowerThan: Duration = .milliseconds(100)) {
    self.init(slowerThan: slowerThan, statements: logger.logLevel <= .trace) { event in
      switch event {
      case .statement(let statement) where !statement.isSlow: logger.trace("\(event)")
      case .checkpoint: logger.debug("\(event)")
      case .migration: logger.notice("\(event)")
      case .statement, .wait, .repeatedReads: logger.warning("\(event)")
      }
    }
  }
}
