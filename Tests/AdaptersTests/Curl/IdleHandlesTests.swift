import Testing

@testable import Adapters

@Suite struct IdleHandlesTests {
  @Test func `adapters that take turns have a handle each`() throws {
    var idle = IdleHandles(limit: 256)
    let adapters = (0..<4).map { _ in CurlSettings(CurlAdapter.Configuration()) }
    var handles: [ObjectIdentifier] = []
    for round in 0..<3 {
      for (index, settings) in adapters.enumerated() {
        let handle = try #require(idle.take(for: settings) ?? CurlHandle())
        if round == 0 { handles.append(ObjectIdentifier(handle)) }
        #expect(ObjectIdentifier(handle) == handles[index])
        handle.settings = settings
        idle.add(handle)
      }
    }
    #expect(Set(handles).count == 4)
  }

  @Test func `many adapters do not have many handles`() throws {
    var idle = IdleHandles(limit: 256)
    var handles: [ObjectIdentifier: CurlHandle] = [:]
    for _ in 0..<100 {
      let settings = CurlSettings(CurlAdapter.Configuration())
      let handle = try #require(idle.take(for: settings) ?? CurlHandle())
      handles[ObjectIdentifier(handle)] = handle
      handle.settings = settings
      idle.add(handle)
    }
    #expect(handles.count <= 16)
  }

  @Test func `requests with a body do not make more handles`() throws {
    var idle = IdleHandles(limit: 256)
    let settings = CurlSettings(CurlAdapter.Configuration())
    var handles: [ObjectIdentifier: CurlHandle] = [:]
    for _ in 0..<5 {
      let handle = try #require(idle.take(for: settings) ?? CurlHandle())
      handles[ObjectIdentifier(handle)] = handle
      handle.settings = settings
      handle.isPlain = false
      idle.add(handle)
    }
    #expect(handles.count == 1)
  }
}
