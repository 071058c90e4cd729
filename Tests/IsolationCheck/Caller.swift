import Dispatch

/// An actor with a thread that can be told from others.
actor OtherActor {
  static let shared = OtherActor()

  private let executor = QueueExecutor()

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
}

private final class QueueExecutor: SerialExecutor {
  private let queue = DispatchQueue(label: "IsolationCheck.other")

  init() { queue.setSpecific(key: Caller.key, value: "the other actor") }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }
}

/// Where code runs, by the queue that runs it: an assertion of Swift's would trap, or be left out in release.
enum Caller {
  static let key = DispatchSpecificKey<String>()

  static func markMainQueue() { DispatchQueue.main.setSpecific(key: key, value: "the main actor") }

  static func name(_ actor: any Actor) -> String { actor is MainActor ? "the main actor" : "the other actor" }

  static var current: String { DispatchQueue.getSpecific(key: key) ?? "no actor" }
}
