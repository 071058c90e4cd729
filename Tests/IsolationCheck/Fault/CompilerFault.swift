// The compiler's fault for which `atCaller` is there, by itself; `scripts/isolation` builds it with -O and runs it.
//
// A `nonisolated(nonsending)` function comes back on its caller's executor, and the caller does not hop. Swift 6.3.1 leaves
// out the hop back before a `throw`, and, in a function that the optimizer has specialized, before a `return`.
//
// Prints which of the four still come back elsewhere; nothing once the compiler is mended.

import Dispatch

struct Stop: Error {}

@inline(never) @concurrent func work(fails: Bool) async throws -> Int {
  if fails { throw Stop() }
  return 1
}

@inline(never) nonisolated(nonsending) func plain(fails: Bool) async throws -> Int {
  try await work(fails: fails)
}

@inline(never) nonisolated(nonsending) func generic<T>(_ value: T, fails: Bool) async throws -> T {
  _ = try await work(fails: fails)
  return value
}

@main enum CompilerFault {
  static let key = DispatchSpecificKey<Bool>()

  @MainActor static func report(_ name: String) {
    if DispatchQueue.getSpecific(key: key) != true { print(name) }
  }

  @MainActor static func main() async {
    DispatchQueue.main.setSpecific(key: key, value: true)
    // The first turn runs before the main queue does.
    await Task.yield()
    for fails in [false, true] {
      _ = try? await plain(fails: fails)
      report("plain, \(fails ? "throwing" : "returning")")
      await Task.yield()
      _ = try? await generic(1, fails: fails)
      report("generic, \(fails ? "throwing" : "returning")")
      await Task.yield()
    }
  }
}
