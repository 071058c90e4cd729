import Adapters
import EntityRequests
import EntityTesting
import SessionAdapter
import HTTPFoundation

extension Scene {
  private var request: URLRequest { URLRequest(url: server.url) }
  private var stub: StubAdapter { StubAdapter().on(.get, "/", mode == .throwing ? .error(Stop()) : .text("ok")) }

  func checkTransport(on actor: isolated any Actor) async throws {
    var failure: (any Error)?
    let adapters: [(any RequestAdapter, String)] = [
      (CurlAdapter(), "CurlAdapter.swift "),
      (CurlAdapter().modifying { $0.setValue("a", forHTTPHeaderField: "b") }, ""),
      (URLSessionAdapter(), "URLSessionAdapter.swift "),
      (stub, "StubAdapter.swift "),
      (BufferingAdapter(fails: mode == .throwing), "RequestAdapter.swift "),
      (FaultAdapter(BufferingAdapter(fails: mode == .throwing)), "FaultAdapter.swift "),
    ]
    for (adapter, file) in adapters {
      do { _ = try await adapter.send(request, body: .none) { _ in } } catch { failure = error }
      saw((adapter is BufferingAdapter ? "" : file) + "send(_:body:progress:)", &failure, on: actor)
      await checkStream(of: adapter, file + "stream(_:body:progress:)", on: actor)
    }
    let modifying = StubAdapter().on(.get, "/", .text("ok")).modifying { [mode] _ in
      await Task.yield()
      if mode == .throwing { throw Stop() }
      try Task.checkCancellation()
    }
    do { _ = try await modifying.send(request, body: .none, progress: nil) } catch { failure = error }
    saw("ModifyingAdapter.swift modifying(requestsTo:_:)", &failure, on: actor)

    // The reader of bodies that the package makes.
    let folder = try makeFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appendingPathComponent("body")
    try Data("one".utf8).write(to: file)
    let body = try RequestBodyStream(contentsOf: file)
    if mode == .throwing { try FileManager.default.removeItem(at: file) }
    do {
      let next = try body.open()
      while try await next() != nil { saw("BodyContent.swift next()", &failure, on: actor) }
    } catch { failure = error }
    saw("BodyContent.swift next()", &failure, on: actor)
  }

  private func checkStream(of adapter: any RequestAdapter, _ name: String, on actor: isolated any Actor) async {
    var failure: (any Error)?
    do {
      let response = try await adapter.stream(request, body: .none) { _ in }
      saw(name, &failure, on: actor)
      while try await response.next() != nil { saw("StreamedHTTPResponse.next", &failure, on: actor) }
    } catch { failure = error }
    saw(name, &failure, on: actor)
  }

  func checkTesting(on actor: isolated any Actor) async throws {
    var failure: (any Error)?
    let gate = StubGate()
    if !fails { gate.open() }
    if mode != .throwing {
      do { try await gate.wait() } catch { failure = error }
      saw("StubGate.swift wait()", &failure, on: actor)
    }
    let late = StubGate()
    let visit = Task { try await late.wait() }
    await late.arrival()
    saw("StubGate.swift arrival(_:)", &failure, fails: false, on: actor)
    late.open()
    _ = await visit.result

    let folder = try makeFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appendingPathComponent("Tests.swift").path
    let inner = BufferingAdapter(fails: mode == .throwing)
    let recording = try RecordingAdapter("a", around: inner, mode: .record, file: file)
    do { _ = try await recording.send(request, body: .none, progress: nil) } catch { failure = error }
    saw("RecordingAdapter.swift send(_:body:progress:)", &failure, on: actor)
    do {
      try await RecordingAdapter.use("a", around: inner, mode: .record, file: file) { [request] adapter in
        _ = try await adapter.send(request, body: .none, progress: nil)
      }
    } catch { failure = error }
    saw("RecordingAdapter+Use.swift use(_:around:mode:order:redaction:file:_:)", &failure, on: actor)

    let adapter: any RequestAdapter = mode == .throwing ? inner : CurlAdapter()
    do { try await ConformanceCase.all.first?.check(adapter) } catch { failure = error }
    saw("ConformanceCase.swift check(_:within:)", &failure, on: actor)
    do { try await ConformanceCase.all.first?.check(adapter, except: []) } catch { failure = error }
    saw("ConformanceCase.swift check(_:except:within:)", &failure, on: actor)
  }

  func checkDecorators(on actor: isolated any Actor) async {
    var failure: (any Error)?
    var chain = StandardChain()
    chain.authentication = .basic(user: "a", password: "b", at: server.url)
    chain.requestsPerHost = 1
    chain.signer = RequestSigner(keyID: "a", key: Data("b".utf8), at: server.url)
    chain.network = OfflineSwitch()
    chain.log = { _ in }
    let adapters: [any RequestAdapter] = [stub.followingRedirects(), stub.standard(chain)]
    for adapter in adapters {
      do { _ = try await adapter.send(request, body: .none, progress: nil) } catch { failure = error }
      saw("RequestAdapter.swift stream(_:body:progress:)", &failure, on: actor)
      await checkStream(of: adapter, "RequestAdapter.swift stream(_:body:progress:)", on: actor)
    }
  }

  /// The clock by which tests of decorators wait.
  func checkClock(on actor: isolated any Actor) async {
    var failure: (any Error)?
    let clock = VirtualClock()
    // A sleep fails where its task is cancelled, and in no other way.
    if mode != .throwing {
      Task.detached {
        await clock.sleep(number: 1)
        clock.advance(by: .seconds(1))
      }
      let time = clock.now.advanced(by: .seconds(1))
      do { try await clock.sleep(until: time, tolerance: nil) } catch { failure = error }
      saw("VirtualClock.swift sleep(until:tolerance:)", &failure, on: actor)
    }
    let number = clock.sleeps.count + 1
    let sleep = Task.detached { try await clock.sleep(for: .seconds(1)) }
    await clock.sleep(number: number)
    saw("VirtualClock.swift sleep(number:)", &failure, fails: false, on: actor)
    clock.advance(by: .seconds(1))
    _ = await sleep.result
  }
}
