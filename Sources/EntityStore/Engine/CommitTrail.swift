import Synchronization

/// Notes the generations of the commits that one task makes, for whoever asks what a request has written.
package final class CommitTrail: Sendable {
  /// The trail of the task; `nil` mostly, so that nothing is noted.
  @TaskLocal package static var current: CommitTrail?

  /// More are not noted: a streamed response may have any number of commits.
  private static let most = 1000

  private let noted = Mutex<[Int64]>([])

  package init() {}

  /// The generations in their order.
  package var generations: [Int64] { noted.withLock { $0 } }

  func note(_ generation: Int64) {
    noted.withLock { noted in
      if noted.count < Self.most { noted.append(generation) }
    }
  }
}
