import Foundation

/// The time and the number of the commit that a unit makes.
package final class CommitStamp: RowWriterPart {
  /// When the transaction took place, in seconds since 1970.
  private(set) lazy var now = Date().timeIntervalSince1970
  /// The same in whole seconds.
  package var seconds: Int64 { Int64(exactly: now.rounded(.down)) ?? 0 }
  private var knownNumber: Int64?

  /// The generation that the commit makes. A unit that writes no notes does not ask for it.
  package func number() throws -> Int64 {
    if let knownNumber { return knownNumber }
    let number = try connection.generation() + 1
    knownNumber = number
    return number
  }
}
