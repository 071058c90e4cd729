import Adapters
import EntityRequests
import Foundation
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A process that has no file descriptor left. In a process of its own, whose limit it is.
@Suite(.untilItHangs) struct CurlDescriptorTests {
  @Test func aRequestWithoutADescriptorFailsAndTheNextOneIsSent() async {
    await #expect(processExitsWith: .success) {
      let reply = "HTTP/1.1 204 No Content\r\n\r\n"
      let (warm, server) = (try TestServer.answering(reply), try TestServer.answering(reply))
      let adapter = CurlAdapter()
      // The engine has its own from now on.
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
      let error = try await adapter.failure(request("POST", url))
      #expect(error?.mayHaveBeenProcessed == false)
      for descriptor in taken { close(descriptor) }
      #expect(try await adapter.send(request("POST", url)).status == 204)
      #expect(server.requests.count == 1)
    }
  }
}
