import EntityRequests
import Foundation
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

// Both transports are asked for these, each in a process of its own.

/// Ends the process with 7 while a request waits for its response.
func exitWithATransferUnderWay(_ adapter: some RequestAdapter) async throws -> Never {
  let arrived = Event()
  let server = try TestServer { connection in
    _ = try connection.readRequest()
    arrived.set()
    connection.waitForClose()
  }
  let task = Task { try await adapter.send(request("GET", server.url())) }
  await arrived.wait()
  withExtendedLifetime(task) { exit(7) }
}

/// Takes all descriptors of the process, whose limit is lowered, while a request is sent. The next one has a descriptor, and an
/// answer.
///
/// - Returns: The error of the request without a descriptor.
func failureWithoutADescriptor(_ method: String, _ adapter: some RequestAdapter) async throws -> TransportError? {
  let reply = "HTTP/1.1 204 No Content\r\n\r\n"
  let (warm, server) = (try TestServer.answering(reply), try TestServer.answering(reply))
  // The transport's threads and queues have their descriptors from now on.
  _ = try await adapter.send(request("GET", warm.url()))
  let url = server.url()
  var limit = rlimit(rlim_cur: 256, rlim_max: 256)
  #expect(setrlimit(numericCast(RLIMIT_NOFILE.rawValue), &limit) == 0)
  var taken: [Int32] = []
  while true {
    let descriptor = dup(0)
    guard descriptor >= 0 else { break }
    taken.append(descriptor)
  }
  let error = try await adapter.failure(request(method, url))
  for descriptor in taken { close(descriptor) }
  #expect(try await adapter.send(request(method, url)).status == 204)
  #expect(server.requests.count == 1)
  return error
}
