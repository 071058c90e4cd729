import Foundation

/// The clock by which answers are fresh. A test sets another one for its task.
package enum AnswerClock {
  /// The seconds since 1970.
  @TaskLocal package static var now: @Sendable () -> Double = { Date().timeIntervalSince1970 }
}
