@testable import EntityStore

extension Gate {
  /// Enters and waits.
  func acquire() async throws -> Ticket {
    let ticket = enter()
    try await ticket.admission(on: Worker("test"))
    return ticket
  }

  /// Enters and waits on the calling thread.
  func acquireBlocking() throws -> Ticket {
    let ticket = enter()
    try ticket.blockingAdmission()
    return ticket
  }

  func waitUntilFree() async throws { try await acquire().release() }
}
