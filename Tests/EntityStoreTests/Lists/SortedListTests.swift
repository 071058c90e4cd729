import EntityMacros
import Foundation
import Testing

@testable import EntityStore

@Entity final class Forum {
  @UID @Key("id") var number: Int
  @Relationship(inverse: \Reply.forum, sortedBy: \Reply.time) var replies: [Reply]
  @Relationship(sortedBy: \Label.name, order: .descending) var labels: [Label]
}

@Entity final class Reply {
  @UID @Key("id") var number: Int
  var time: Double?
  var forum: Forum?
}

@Entity final class Label {
  @UID var name: String
  @Relationship(inverse: \Forum.labels, sortedBy: \Forum.number) var threads: [Forum]
}

/// To-many and many-to-many relationships that are sorted by an attribute.
@MainActor
struct SortedListTests {
  private static let entities: [any ManagedEntity.Type] = [Forum.self, Reply.self, Label.self]

  @Test(arguments: Place.usual)
  func `observers hear of a place that others give between the commit of a save and its end`(_ place: Place)
    async throws
  {
    let test = try TestStore(place, Self.entities, busyTimeout: .ample)
    let (store, main) = (test.store, test.store.main)
    let forum = try main.insert(Forum.self)
    forum.number = 1
    let replies = try [1, 2].map { number in
      let reply = try main.insert(Reply.self)
      (reply.number, reply.time, reply.forum) = (number, Double(number), forum)
      return reply
    }
    try await main.save()
    let id = replies[0].entityID
    replies[0].time = 1.5
    let block = Blocker(store)
    await block.begin()
    let save = await store.beginSave(of: replies[0])
    let next = Task.detached { try await store.background { try $0.object(id)?.time = 9 } }
    while store.core.gate.waiting < 2 { await Task.yield() }
    let last = store.core.followers.generation + 2
    block.end()
    // The save can't end: this test has the main actor.
    while store.core.followers.generation < last { sched_yield() }
    try main.merging.merge()
    let list = Watcher { _ = forum.replies }
    #expect(forum.replies.map(\.number) == [1, 2])
    try await save.value
    try await next.value
    #expect(list.fired)
    #expect(forum.replies.map(\.number) == [2, 1])
  }

  @Test(arguments: Place.usual)
  func `the members are in the order of the attribute`(_ place: Place) async throws {
    let test = try TestStore(place, Self.entities)
    let id = try await test.store.background { context in
      let forum = try context.insert(Forum.self)
      forum.number = 1
      for (number, time) in [(1, 30.0), (2, 10), (3, 20), (4, 10)] {
        let reply = try context.insert(Reply.self)
        (reply.number, reply.time, reply.forum) = (number, time, forum)
      }
      forum.labels = try ["b", "c", "a"].map { name in
        let label = try context.insert(Label.self)
        label.name = name
        return label
      }
      return forum.entityID
    }
    let main = test.store.main
    let forum = try #require(try main.object(id))
    #expect(forum.replies.map(\.number) == [2, 4, 3, 1])
    #expect(forum.labels.map(\.name) == ["c", "b", "a"])
    // Unsaved changes count.
    let watcher = Watcher { _ = forum.replies }
    forum.replies[3].time = 5
    #expect(watcher.fired)
    #expect(forum.replies.map(\.number) == [1, 2, 4, 3])
    let label = try main.insert(Label.self)
    label.name = "bb"
    forum.labels.append(label)
    #expect(forum.labels.map(\.name) == ["c", "bb", "b", "a"])
    let reply = try main.insert(Reply.self)
    reply.number = 5
    forum.replies.append(reply)
    #expect(forum.replies.map(\.number) == [5, 1, 2, 4, 3])
    main.rollback()
    #expect(forum.replies.map(\.number) == [2, 4, 3, 1])
    #expect(watcher.fired)
    // Others change the attribute alone.
    try await test.store.background { context in
      try context.fetch(Reply.self, uid: 2)?.time = 100
      try context.fetch(Label.self, uid: "a")?.name = "z"
    }
    try main.merging.merge()
    #expect(watcher.fired)
    #expect(forum.replies.map(\.number) == [4, 3, 1, 2])
    #expect(forum.labels.map(\.name) == ["z", "c", "b"])
  }

  @Test func `wrong orders are refused`() {
    func message(_ entity: any ManagedEntity.Type) -> String? {
      #expect(throws: StoreError.self) {
        try EntityStore(.inMemory, entities: [entity, Reply.self, Forum.self, Label.self])
      }?
      .message
    }
    #expect(
      message(TwoOrders.self)
        == "'TwoOrders.labels' is said to have two orders: an order of its own, or that of an attribute, is one.")
    #expect(
      message(OrderedLink.self) == "'OrderedLink.label' is said to have an order, and is no to-many relationship.")
    #expect(
      message(ForeignKey.self)
        == "'ForeignKey.labels' is said to be sorted by 'Reply.time', which is no attribute of its objects.")
    #expect(
      message(LinkKey.self)
        == "'LinkKey.replies' is said to be sorted by 'Reply.forum', which is no attribute of its objects.")
  }
}

// Written by hand, where the macro says so before.

final class TwoOrders: ManagedEntity {
  struct Columns: Sendable { let labels = Column<TwoOrders, [Label]>(0, "labels") }
  static let columns = Columns()
  static var properties: [PropertyDescriptor] {
    [.property(\TwoOrders.labels, columns.labels).ordered().sorted(by: Label.columns.name)]
  }
  let _$state: ObjectState
  var labels: [Label] = []
  init(_ state: ObjectState) { _$state = state }
  func _$load(_ row: RowReader) {}
  func _$store(into row: inout RowValues) {}
}

final class OrderedLink: ManagedEntity {
  struct Columns: Sendable { let label = Column<OrderedLink, Label?>(0, "label") }
  static let columns = Columns()
  static var properties: [PropertyDescriptor] { [.property(\OrderedLink.label, columns.label).ordered()] }
  let _$state: ObjectState
  var label: Label?
  init(_ state: ObjectState) { _$state = state }
  func _$load(_ row: RowReader) {}
  func _$store(into row: inout RowValues) {}
}

final class ForeignKey: ManagedEntity {
  struct Columns: Sendable { let labels = Column<ForeignKey, [Label]>(0, "labels") }
  static let columns = Columns()
  static var properties: [PropertyDescriptor] {
    [.property(\ForeignKey.labels, columns.labels).sorted(by: Reply.columns.time)]
  }
  let _$state: ObjectState
  var labels: [Label] = []
  init(_ state: ObjectState) { _$state = state }
  func _$load(_ row: RowReader) {}
  func _$store(into row: inout RowValues) {}
}

final class LinkKey: ManagedEntity {
  struct Columns: Sendable { let replies = Column<LinkKey, [Reply]>(0, "replies") }
  static let columns = Columns()
  static var properties: [PropertyDescriptor] {
    [.property(\LinkKey.replies, columns.replies).sorted(by: Reply.columns.forum, .descending)]
  }
  let _$state: ObjectState
  var replies: [Reply] = []
  init(_ state: ObjectState) { _$state = state }
  func _$load(_ row: RowReader) {}
  func _$store(into row: inout RowValues) {}
}
