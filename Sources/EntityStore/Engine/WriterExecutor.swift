import Dispatch

/// Runs jobs one after the other on a queue of its own, so that waiting for the disk takes no thread of the
/// cooperative pool.
final class QueueExecutor: SerialExecutor {
  private let queue: DispatchQueue

  init(_ label: String) { queue = DispatchQueue(label: label, qos: .userInitiated) }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }

  func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
}

/// Runs synchronous work on an executor of its own.
actor Worker {
  private let executor: QueueExecutor

  init(_ label: String) { executor = QueueExecutor(label) }

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  func run<T: Sendable>(_ work: @Sendable () throws -> T) throws -> T { try work() }

  /// Waits for a gate here, works on `worker`, and lets the next one in from there. Nothing of this takes a turn on the
  /// cooperative pool: however busy the pool is, the gate is held only as long as the work takes. And a unit that waits
  /// here gets its deadline, however long the worker is busy.
  func run<T: Sendable>(
    _ ticket: Gate.Ticket, on worker: Worker, _ work: @Sendable () throws -> T
  ) async throws -> T {
    try await ticket.admission(on: self)
    return try await worker.run {
      defer { ticket.release() }
      try Task.checkCancellation()
      return try work()
    }
  }
}
