import Foundation
import TestSchema
import Testing

@testable import EntityStore

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A process that may open no further file, which is one of its own: other tests open files.
struct DescriptorTests {
  @Test func `an opening says that too many files are open`() async {
    await #expect(processExitsWith: .success) {
      let test = try TestStore(.file)
      try await use(test.store, count: 1)
      try await test.store.close()
      let descriptors = try Descriptors()
      var isOpened = false
      for left in 0..<20 where !isOpened {
        descriptors.leave(left)
        do {
          let store = try EntityStore(.file(test.folder.file), entities: TestStore.people)
          isOpened = true
          #expect(store.core.location.whyFrozen == nil)
        } catch let error as StoreError {
          expectTooMany(error)
        }
        // The store reads the file, its log and the index of the log.
        #expect(left > 2 || !isOpened)
      }
      #expect(isOpened)
      descriptors.leave(100)
      try await use(EntityStore(.file(test.folder.file), entities: TestStore.people), count: 2)
    }
  }

  @Test func `an open store is used on`() async {
    await #expect(processExitsWith: .success) {
      // Its threads and queues have their descriptors from now on.
      let warm = try TestStore(.file)
      try await use(warm.store, count: 1)
      let test = try TestStore(.file)
      try await test.store.addPerson(1)
      let copy = test.folder.url.appending(path: "copy")
      let names = try FileManager.default.contentsOfDirectory(atPath: test.folder.url.path).sorted()
      let descriptors = try Descriptors()
      descriptors.leave(0)
      // The writer has its files. A reader would be a new one.
      try await test.store.addPerson(2)
      expectTooMany(await error { _ = try await test.store.read { try $0.count(Person.all) } })
      var isCopied = false
      for left in 0..<20 where !isCopied {
        descriptors.leave(left)
        let error = await error { try await test.store.backup(to: copy) }
        isCopied = error == nil
        if !isCopied {
          expectTooMany(error)
          descriptors.leave(100)
          #expect(try FileManager.default.contentsOfDirectory(atPath: test.folder.url.path).sorted() == names)
        }
        #expect(left > 0 || !isCopied)
      }
      #expect(isCopied)
      descriptors.leave(100)
      #expect(try await test.store.check(.full) == [])
      try await use(test.store, count: 3)
      #expect(try await EntityStore(.file(copy), entities: TestStore.people).read { try $0.count(Person.all) } == 2)
    }
  }
}

/// The descriptors of this process: all are taken, but for some.
private final class Descriptors {
  private var taken: [Int32] = []

  init() throws {
    var limit = rlimit(rlim_cur: 256, rlim_max: 256)
    #if canImport(Glibc)
      let kind: Int32 = numericCast(RLIMIT_NOFILE.rawValue)
    #else
      let kind = RLIMIT_NOFILE
    #endif
    #expect(setrlimit(kind, &limit) == 0)
  }

  func leave(_ count: Int) {
    while case let descriptor = open("/dev/null", O_RDONLY), descriptor >= 0 { taken.append(descriptor) }
    for _ in 0..<min(count, taken.count) { close(taken.removeLast()) }
  }
}

/// Writes and reads on each path.
private func use(_ store: EntityStore, count: Int) async throws {
  try await store.addPerson(count)
  #expect(try await store.read { try $0.count(Person.all) } == count)
  #expect(try await MainActor.run { try store.main.count(Person.all) } == count)
}

private func error(_ body: () async throws -> Void) async -> (any Error)? {
  do {
    try await body()
    return nil
  } catch {
    return error
  }
}

private func expectTooMany(_ error: (any Error)?) {
  let error = error as? StoreError
  #expect(error?.kind == .cannotOpen)
  #expect(error?.message.contains("Too many files are open") == true, "\(error.map { "\($0)" } ?? "no error")")
  #expect(error?.message.contains("folder") != true)
}
