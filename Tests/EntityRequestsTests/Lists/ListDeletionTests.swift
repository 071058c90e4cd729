import EntityClient
import Foundation
import SampleSchema
import Testing

@testable import EntityRequests
@testable import EntityStore

/// Members that are deleted here, and that the server still has.
@MainActor struct ListDeletionTests {
  private func with(_ server: ListServer, _ body: @MainActor (EntityStore) async throws -> Void) async throws {
    let store = try EntityStore(.inMemory, entities: sampleEntities)
    store.main.undoManager.limit = .saves(5)
    try await Client.withClient(server.client(store)) {
      try await walk(server.list)
      try await body(store)
      #expect(try await store.check(.full).isEmpty)
    }
  }

  private func walk(_ list: StoredCollection<User>) async throws {
    while try await list.status()?.hasMore != false { try await list.loadMore() }
  }

  private func delete(_ uid: Int, in store: EntityStore) async throws {
    try store.main.delete(try #require(try store.main.fetch(User.self, uid: uid)))
    try await store.main.save()
  }

  @Test(arguments: ListServer.Paging.allCases)
  func `a deleted member keeps its place until the server has the deletion`(_ paging: ListServer.Paging) async throws {
    let server = ListServer(paging, users: 7)
    try await with(server) { store in
      let feed = LiveQuery(User.members(of: server.list), in: store)
      #expect(feed.objects.map(\.uid) == [7, 6, 5, 4, 3, 2, 1])
      try await delete(3, in: store)
      #expect(feed.objects.map(\.uid) == [7, 6, 5, 4, 2, 1])
      for isNew in [false, true] {
        if isNew { server.add(1) }
        try await server.list.load()
        let status = try await server.list.status()
        #expect(status?.isComplete == true && status?.hasMore == false)
      }
      #expect(feed.objects.map(\.uid) == [8, 7, 6, 5, 4, 2, 1])
      #expect(try await store.check(.full).isEmpty)
      try await store.main.undoManager.undo()
      #expect(feed.objects.map(\.uid) == [8, 7, 6, 5, 4, 3, 2, 1])
      try await store.main.undoManager.redo()
      #expect(feed.objects.map(\.uid) == [8, 7, 6, 5, 4, 2, 1])
      server.delete(3)
      try await store.pending.acknowledge(try #require(try await store.pending.changes().first))
      for _ in 1...2 {
        try await server.list.load()
        #expect(feed.objects.map(\.uid) == [8, 7, 6, 5, 4, 2, 1])
        #expect(try await server.list.status()?.isComplete == true)
      }
    }
  }

  @Test func `a page that has an object which is deleted here keeps its place`() async throws {
    let server = ListServer(.offset, users: 7)
    try await with(server) { store in
      try await delete(6, in: store)
      #expect(try await server.list.load().ids.count == 2, "a 304 names the objects that are here")
      try await server.list.remove()
      try await walk(server.list)
      #expect(try await store.uids(of: server.list) == [7, 5, 4, 3, 2, 1])
      #expect(try await server.list.status()?.isComplete == true)
      try await store.main.undoManager.undo()
      #expect(try await store.uids(of: server.list) == [7, 6, 5, 4, 3, 2, 1])
    }
  }

  @Test func `other deletions hide no object that a list lacks`() async throws {
    let server = ListServer(.offset, users: 7)
    try await with(server) { store in
      _ = try await User.upsert(from: [["id": 99]])
      try await delete(99, in: store)
      server.set([8, 7, 6, 5, 4, 10, 3, 2, 1])
      try await server.list.load()
      try await walk(server.list)
      #expect(try await store.uids(of: server.list) == server.uids)
      #expect(try await server.list.status()?.isComplete == true)
    }
  }

  @Test func `a deletion that is discarded makes its lists begin anew`() async throws {
    let server = ListServer(users: 7)
    try await with(server) { store in
      try await delete(2, in: store)
      try await store.pending.discard(try #require(try await store.pending.changes().first))
      #expect(try await store.uids(of: server.list) == [7, 6, 5, 4, 3, 1])
      #expect(try await store.check(.full).isEmpty)
      try await server.list.load()
      try await walk(server.list)
      #expect(try await store.uids(of: server.list) == server.uids)
      #expect(try await server.list.status()?.isComplete == true)
    }
  }

  @Test func `a new object with the uid of a deleted one has its place`() async throws {
    let server = ListServer(users: 7)
    try await with(server) { store in
      try await delete(4, in: store)
      try store.main.insert(User.self).uid = 4
      try await store.main.save()
      #expect(try await store.uids(of: server.list) == [7, 6, 5, 4, 3, 2, 1])
    }
  }
}
