import Adapters
import EntityRequests
import EntityTesting
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The decorators, and the clock by which tests of them wait.
extension Scene {
  func checkDecorators(on actor: isolated any Actor) async {
    let request = URLRequest(url: server.url)
    let stub = StubAdapter().on(.get, "/", mode == .throwing ? .error(Stop()) : .text("ok"))
    var chain = StandardChain()
    chain.authentication = .basic(user: "a", password: "b", at: server.url)
    chain.requestsPerHost = 1
    chain.signer = RequestSigner(keyID: "a", key: Data("b".utf8), at: server.url)
    chain.network = OfflineSwitch()
    chain.log = { _ in }
    let adapters: [any RequestAdapter] = [stub.followingRedirects(), stub.standard(chain)]
    for adapter in adapters {
      let name = "RequestAdapter.swift stream(_:body:progress:)"
      do {
        _ = try await adapter.send(request, body: .none, progress: nil)
        saw(name, nil, on: actor)
      } catch { saw(name, error, on: actor) }
      do {
        let response = try await adapter.stream(request, body: .none, progress: nil)
        saw(name, nil, on: actor)
        while try await response.next() != nil { saw(name, nil, on: actor) }
        saw(name, nil, on: actor)
      } catch { saw(name, error, on: actor) }
    }
    await checkClock(on: actor)
  }

  private func checkClock(on actor: isolated any Actor) async {
    let clock = VirtualClock()
    // A sleep fails where its task is cancelled, and in no other way.
    if mode != .throwing {
      let name = "VirtualClock.swift sleep(until:tolerance:)"
      do {
        let waker = Task.detached {
          await clock.sleep(number: 1)
          clock.advance(by: .seconds(1))
        }
        try await clock.sleep(until: clock.now.advanced(by: .seconds(1)), tolerance: nil)
        await waker.value
        saw(name, nil, on: actor)
      } catch { saw(name, error, on: actor) }
    }
    let number = clock.sleeps.count + 1
    let sleep = Task.detached { try await clock.sleep(for: .seconds(1)) }
    await clock.sleep(number: number)
    saw("VirtualClock.swift sleep(number:)", nil, fails: false, on: actor)
    clock.advance(by: .seconds(1))
    _ = await sleep.result
  }
}
