import Adapters
import EntityRequests
import Foundation
import Testing

/// Tasks that run on libcurl's thread, by preference.
@Suite(.untilItHangs)
struct CurlTaskExecutorTests {
  @Test func aTaskThatPrefersItNeverLeavesLibcurlsThreadForARequest() async throws {
    let server = try TestServer.answering("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
    #expect(!isOnLibcurlsThread())
    try await withTaskExecutorPreference(CurlAdapter.taskExecutor) {
      #expect(isOnLibcurlsThread())
      let body = try await CurlAdapter().send(request("GET", server.url())).body
      #expect(body == Data("ok".utf8))
      #expect(isOnLibcurlsThread())
    }
    #expect(!isOnLibcurlsThread())
  }

  @Test func manyTasksOnItAreAllAnswered() async throws {
    let server = try TestServer.answering { request in
      Array("HTTP/1.1 200 OK\r\nContent-Length: \(request.target.utf8.count)\r\n\r\n\(request.target)".utf8)
    }
    let (adapter, executor) = (CurlAdapter(), try CurlAdapter.taskExecutor)
    let answered = try await withThrowingTaskGroup(of: Int.self) { group in
      for task in 0..<40 {
        group.addTask(executorPreference: executor) {
          var count = 0
          for number in 0..<10 {
            let path = "/\(task)/\(number)"
            guard number % 2 == 0 else {
              let response = try await adapter.stream(request("GET", server.url(path)), body: .none, progress: nil)
              var body = Data()
              while let piece = try await response.next() { body += piece }
              count += body == Data(path.utf8) ? 1 : 0
              continue
            }
            count += try await adapter.send(request("GET", server.url(path))).body == Data(path.utf8) ? 1 : 0
          }
          return count
        }
      }
      return try await group.reduce(0, +)
    }
    #expect(answered == 400)
  }

  @Test func aTaskThatComesBackWithoutEndHoldsUpNoTransfer() async throws {
    let server = try TestServer.answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
    let isAnswered = Event()
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask(executorPreference: try CurlAdapter.taskExecutor) {
        while !isAnswered.isSet { await Task.yield() }
      }
      defer { isAnswered.set() }
      for _ in 0..<20 { #expect(try await CurlAdapter().send(request("GET", server.url())).status == 200) }
    }
  }

  @Test func aCancelledTaskOnItClosesTheConnection() async throws {
    let (isAsked, isClosed) = (Event(), Event())
    let server = try TestServer { connection in
      _ = try connection.readRequest()
      isAsked.set()
      connection.waitForClose()
      isClosed.set()
    }
    let task = Task(executorPreference: try CurlAdapter.taskExecutor) {
      try await CurlAdapter().send(request("GET", server.url()))
    }
    await isAsked.wait()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    await isClosed.wait()
  }
}

/// `Thread.current` is not for asynchronous functions, which may change their thread; this one tells of this moment.
private func isOnLibcurlsThread() -> Bool { Thread.current.name == "EntityCurl" }
