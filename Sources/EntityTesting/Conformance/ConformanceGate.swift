import Foundation

extension StubGate {
  /// Waits until the gate is open, on a thread that may block.
  func block() {
    let semaphore = DispatchSemaphore(value: 0)
    Task {
      try? await wait()
      semaphore.signal()
    }
    semaphore.wait()
  }
}
