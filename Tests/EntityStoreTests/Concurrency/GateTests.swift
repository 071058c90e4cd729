import Synchronization
import Testing

@testable import EntityStore

@MainActor
struct GateTests {
  @Test func `the gate is first come first served`() async throws {
    let gate = Gate(.writer, timeout: .ample)
    let turn = try await gate.acquire()
    let order = Mutex<[Int]>([])
    var tasks: [Task<Void, any Error>] = []
    for number in 0..<20 {
      tasks.append(
        Task {
          let turn = try await gate.acquire()
          order.withLock { $0.append(number) }
          turn.release()
        })
      while gate.waiting <= number { await Task.yield() }
    }
    turn.release()
    for task in tasks { try await task.value }
    #expect(order.withLock { $0 } == Array(0..<20))
    try gate.acquireBlocking().release()
  }

  @Test func `a thread waits for its turn until the deadline`() throws {
    let gate = Gate(.writer, timeout: .milliseconds(1))
    let turn = try gate.acquireBlocking()
    #expect(errorKind { _ = try gate.acquireBlocking() } == .writerBusy)
    turn.release()
    try gate.acquireBlocking().release()
  }

  @Test func `deadlines of any length are taken`() throws {
    for timeout in [Duration.seconds(Int64.max), .seconds(Int64.min), .zero] {
      let gate = Gate(.writer, timeout: timeout)
      let turn = try gate.acquireBlocking()
      if timeout < .zero { #expect(turn.patience == .zero) } else { #expect(turn.patience <= timeout) }
      if timeout <= .zero { #expect(errorKind { _ = try gate.acquireBlocking() } == .writerBusy) }
      turn.release()
      try gate.acquireBlocking().release()
    }
  }

  @Test func `cancellation in the queue leaves nothing behind`() async throws {
    let gate = Gate(.writer, timeout: .ample)
    let turn = try await gate.acquire()
    let tasks = (0..<2000).map { _ in Task { try await gate.acquire() } }
    while gate.waiting < 2000 { await Task.yield() }
    for task in tasks.dropFirst() { task.cancel() }
    for task in tasks.dropFirst() {
      await #expect(throws: CancellationError.self) { try await task.value }
    }
    turn.release()
    try await tasks[0].value.release()
    let last = try gate.acquireBlocking()
    let cancelled = Task {
      while !Task.isCancelled { await Task.yield() }
      return try await gate.acquire()
    }
    cancelled.cancel()
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    #expect(gate.waiting == 0)
    last.release()
  }

  @Test func `a turn that is let in has only the rest of the deadline`() throws {
    let gate = Gate(.writer, timeout: .ample)
    let first = gate.enter()
    let second = gate.enter()
    try first.blockingAdmission()
    let before = second.patience
    // It waited for another process, and gave up: nothing has moved.
    first.release()
    try second.blockingAdmission()
    #expect(second.patience <= before)
    second.begin()
    let third = gate.enter()
    let moved = third.patience
    second.release()
    try third.blockingAdmission()
    #expect(moved <= .ample)
    #expect(third.patience <= .ample)
    #expect(third.patience > .zero)
    third.release()
  }
}
