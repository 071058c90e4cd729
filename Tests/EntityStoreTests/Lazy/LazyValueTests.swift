import Foundation
import TestSchema
import Testing

@testable import EntityStore

/// Lazy properties: their values stay in the file until somebody reads them.
@MainActor struct LazyValueTests {
  // MARK: Reading

  @Test(arguments: Place.usual)
  func `lazy values are read by nothing but their own property`(_ place: Place) async throws {
    let studio = try Studio(place)
    let ids = try await studio.fill(20)
    let main = studio.store.main
    let portraits = try main.fetch(Portrait.all.sorted(by: \.title))
    #expect(portraits.map(\.price) == Array(repeating: 0, count: 20))
    #expect(try main.fetch(Portrait.self, uid: 3)?.title == "No. 3")
    #expect(try main.count(Portrait.where { $0.price == 0 }) == 20)
    let live = LiveQuery(Portrait.where { $0.price == 0 }, in: studio.store)
    #expect(live.objects.count == 20)
    // The commit of another context, of another property: a merge, a refresh, the live query once more.
    try await studio.change(ids[0]) { $0.price = 7 }
    #expect(try main.object(ids[0])?.price == 7)
    #expect(live.objects.count == 19)
    try main.refresh(portraits[1])
    // An edit and a save, with queries over the unsaved values that SQLite can't take apart.
    portraits[2].title = "changed"
    #expect(try main.fetch(Portrait.all.sorted { $0.title.ignoringCase }).first === portraits[2])
    #expect(try main.fetch(Portrait.all.prefetching { $0.atelier }).count == 20)
    #expect(portraits[0].atelier?.portraits.count == 20)
    let child = try main.child()
    #expect(try child.fetch(Portrait.self, uid: 3)?.price == 0)
    try await main.save()
    let snapshots = try await studio.store.read { try $0.snapshots(Portrait.all) }
    #expect(snapshots.map(\.price).reduce(0, +) == 7)
    _ = try await studio.store.pending.changes()
    main.reset()
    #expect(portraits[5].title == "No. 14")
    #expect(studio.lazyReads() == [])
    #expect(main.statistics.lazyValues == 0)
  }

  @Test(arguments: Place.usual)
  func `the first read loads and the object keeps what it read`(_ place: Place) async throws {
    let studio = try Studio(place)
    let id = try await studio.fill()[0]
    let main = studio.store.main
    let portrait = try #require(try main.object(id))
    #expect(portrait.title == "No. 1")
    #expect(portrait.picture == Studio.picture(1))
    #expect(portrait.picture == Studio.picture(1))
    #expect(portrait.layers == ["sketch", "oil"])
    #expect(main.statistics.lazyValues == 2)
    #expect(studio.lazyReads().count == 2)
    // Another property changes elsewhere: the picture is not read again.
    try await studio.change(id) { $0.price = 3 }
    #expect(portrait.price == 3)
    #expect(portrait.picture == Studio.picture(1))
    #expect(main.statistics.lazyValues == 2)
    try await studio.change(id) { $0.picture = Studio.picture(9) }
    #expect(portrait.price == 3)
    #expect(main.statistics.lazyValues == 2, "it waits until somebody asks")
    #expect(portrait.picture == Studio.picture(9))
    #expect(main.statistics.lazyValues == 3)
    try main.refresh(portrait)
    #expect(portrait.picture == Studio.picture(9))
    #expect(main.statistics.lazyValues == 4)
  }

  @Test(arguments: Place.usual)
  func `observers of a value hear of its changes alone`(_ place: Place) async throws {
    let studio = try Studio(place)
    let id = try await studio.fill()[0]
    let portrait = try #require(try studio.store.main.object(id))
    let picture = Watcher { _ = portrait.picture }
    let story = Watcher { _ = portrait.story }
    try await studio.change(id) { $0.picture = nil }
    try studio.store.main.merging.merge()
    #expect(picture.fired)
    #expect(portrait.picture == nil)
    portrait.picture = Studio.picture(2)
    #expect(picture.fired)
    studio.store.main.rollback()
    #expect(picture.fired)
    #expect(portrait.picture == nil)
    #expect(!story.fired)
  }

  @Test func `a value that cannot be read is reported by the next call that throws`() async throws {
    let studio = try Studio(.file)
    let id = try await studio.fill()[0]
    let main = studio.store.main
    let portrait = try #require(try main.object(id))
    #expect(portrait.title == "No. 1")
    let raw = try RawConnection(studio.folder.file.path, vfs: nil)
    try raw.run("ALTER TABLE Portrait RENAME COLUMN story TO gone")
    #expect(portrait.story == "none", "its default")
    #expect(errorKind { _ = try main.fetch(Atelier.all) } != nil)
    try raw.run("ALTER TABLE Portrait RENAME COLUMN gone TO story")
    #expect(portrait.story == "story 1")
    #expect(try main.fetch(Atelier.all).count == 1)
  }

  @Test(arguments: Place.usual)
  func `a deleted object keeps the lazy values that were read`(_ place: Place) async throws {
    let studio = try Studio(place)
    let ids = try await studio.fill(2)
    let main = studio.store.main
    let (read, unread) = (try #require(try main.object(ids[0])), try #require(try main.object(ids[1])))
    #expect(read.picture != nil)
    #expect(unread.title == "No. 2")
    _ = try await studio.store.background { try $0.delete(Portrait.all) }
    #expect(read.isDeleted && unread.isDeleted)
    #expect(read.picture == Studio.picture(1))
    #expect(unread.picture == nil)
    #expect(unread.story == "none")
    #expect(try main.fetch(Portrait.all).isEmpty)
  }

  // MARK: Setting

  @Test(arguments: Place.usual)
  func `setting a lazy value reads nothing, and an equal value is no change`(_ place: Place) async throws {
    let studio = try Studio(place)
    let id = try await studio.fill()[0]
    let main = studio.store.main
    let portrait = try #require(try main.object(id))
    portrait.picture = Studio.picture(5)
    #expect(main.statistics.lazyValues == 0)
    #expect(portrait.hasChanges)
    #expect(portrait.picture == Studio.picture(5))
    try await main.save()
    #expect(try await studio.picture(of: id) == Studio.picture(5))
    #expect(try await studio.store.pending.changes().first?.edits.map(\.property) == ["picture"])
    // In another context nobody has read it. The same value writes no row and marks no property.
    let generation = main.generation
    try await studio.change(id) {
      $0.picture = Studio.picture(5)
      $0.story = "story 1"
      $0.layers = ["sketch", "oil"]
    }
    try main.merging.merge()
    #expect(main.generation == generation)
    // Nor is it one where the value is known.
    portrait.picture = Studio.picture(5)
    #expect(!portrait.hasChanges)
    // Set back, it is no change any more.
    portrait.picture = nil
    #expect(portrait.hasChanges)
    portrait.picture = Studio.picture(5)
    #expect(!portrait.hasChanges)
  }

  @Test(arguments: Place.usual)
  func `an edit of a value that was read has conflicts, and an edit of an unread value has none`(_ place: Place)
    async throws
  {
    let studio = try Studio(place)
    let ids = try await studio.fill(2)
    let main = studio.store.main
    let (read, unread) = (try #require(try main.object(ids[0])), try #require(try main.object(ids[1])))
    #expect(read.picture != nil)
    for portrait in [read, unread] { portrait.picture = Studio.picture(7) }
    for id in ids { try await studio.change(id) { $0.picture = Studio.picture(8) } }
    let error = #expect(throws: StoreError.self) { try main.saveAtOnce() }
    #expect(error?.conflicts.map(\.id) == [read._$state.id])
    #expect(error?.conflicts.map(\.property) == ["picture"])
    try await main.save(conflicts: .theirs)
    #expect(read.picture == Studio.picture(8))
    #expect(try await studio.picture(of: ids[0]) == Studio.picture(8))
    #expect(try await studio.picture(of: ids[1]) == Studio.picture(7))
  }

  @Test(arguments: Place.usual)
  func `a new object, a loose object and a rollback have the defaults of lazy properties`(_ place: Place) async throws {
    let studio = try Studio(place)
    let main = studio.store.main
    let loose = Portrait()
    #expect(loose.story == "none")
    loose.story = "a loose story"
    loose.picture = Studio.picture(1)
    #expect(loose.picture == Studio.picture(1))
    try main.insert(loose)
    let new = try main.insert(Portrait.self)
    #expect(new.picture == nil && new.story == "none" && new.layers == [])
    new.layers = ["one"]
    #expect(main.statistics.lazyValues == 0)
    try await main.save()
    #expect(loose.story == "a loose story")
    #expect(new.story == "none", "now it is read from the row")
    #expect(new.layers == ["one"])
    new.layers.append("two")
    loose.story = "changed"
    main.rollback()
    #expect(new.layers == ["one"])
    #expect(loose.story == "a loose story")
  }

  @Test(arguments: Place.usual)
  func `children and drafts read the unsaved lazy value or the row`(_ place: Place) async throws {
    let studio = try Studio(place)
    let ids = try await studio.fill(2)
    let main = studio.store.main
    let portrait = try #require(try main.object(ids[0]))
    portrait.title = "edited"
    let draft = try main.edit(portrait)
    #expect(draft.object.title == "edited")
    #expect(draft.object.picture == Studio.picture(1), "from the row")
    portrait.picture = Studio.picture(4)
    #expect(draft.object.picture == Studio.picture(4), "from the object of the parent")
    draft.object.picture = Studio.picture(6)
    draft.object.story = "drafted"
    #expect(portrait.picture == Studio.picture(4))
    try draft.save()
    #expect(portrait.picture == Studio.picture(6))
    #expect(portrait.story == "drafted")
    try await main.save()
    #expect(try await studio.picture(of: ids[0]) == Studio.picture(6))
    // A grandchild, below a child that edited something else.
    let other = try #require(try main.object(ids[1]))
    other.picture = Studio.picture(3)
    let child = try main.child()
    try #require(try child.object(ids[1])).price = 1
    let grandchild = try child.child()
    #expect(try grandchild.object(ids[1])?.picture == Studio.picture(3))
    main.rollback()
    #expect(try grandchild.object(ids[1])?.picture == Studio.picture(2))
  }

  @Test(arguments: Place.usual)
  func `a unit sees its own lazy value and rolls it back`(_ place: Place) async throws {
    let studio = try Studio(place)
    let id = try await studio.fill()[0]
    let sizes = try await studio.store.background { context in
      let portrait = try #require(try context.object(id))
      portrait.picture = Studio.picture(5)
      let pictures: [Data?] = try context.fetch(Portrait.where { $0.picture != nil }.select { $0.picture })
      var sizes = [pictures.first??.first]
      context.rollback()
      sizes.append(portrait.picture?.first)
      portrait.picture = nil
      sizes.append(UInt8(try context.count(Portrait.where { $0.picture == nil })))
      return sizes
    }
    #expect(sizes == [5, 1, 1])
    #expect(try await studio.picture(of: id) == nil)
  }
}
