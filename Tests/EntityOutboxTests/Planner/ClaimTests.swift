import EntityClient
import Testing

/// Entries: claims, lost ones, and those that wait for a person.
@Suite struct ClaimTests {
  // MARK: Lost claims

  @Test func `a lost update is made anew after the pause, and ends with its entry`() {
    var scene = Scene()
    scene.edit(1, at: 60)
    scene.entry(4, of: 1, .update, .sending, time: 990, edited: 50)
    #expect(scene.lines == ["update 1 entry 4: at 1020"])
    #expect(scene.plan.next == 1_020)
    scene.situation.now = 1_020
    #expect(scene.lines == ["update 1 entry 4: ready"])
    scene.delete(1, at: 70)
    #expect(scene.lines == ["deletion 1 entry 4: ready"])
    scene.situation.pending = [:]
    #expect(scene.lines == ["read 1 entry 4: ready"])
  }

  @Test func `a lost deletion is sent again, and is over where the tombstone is gone`() {
    var scene = Scene()
    scene.delete(1)
    scene.entry(4, of: 1, .deletion, .sending)
    #expect(scene.lines == ["deletion 1 entry 4: ready"])
    scene.situation.pending = [:]
    #expect(scene.lines == [])
    #expect(scene.plan.over == [4])
  }

  @Test func `a lost create goes on by its rules`() {
    var scene = Scene()
    scene.insert(1, at: 60)
    scene.entry(4, of: 1, .create, .sending, time: 990, edited: 50)
    #expect(scene.lines == ["create 1 entry 4: unknown", "update 1: blocked by 4"])
    scene.situation.rules[0]?.looksUpCreates = true
    #expect(scene.lines == ["lookUp 1 entry 4: at 1020", "update 1: after 1"])
    scene.situation.rules[0]?.repeatsCreates = true
    #expect(scene.lines == ["create 1 entry 4 frozen: at 1020", "update 1: after 1"])
  }

  @Test func `a lost create is brought to an end though the object is deleted, and the deletion follows`() {
    var scene = Scene { $0.repeatsCreates = true }
    scene.entry(4, of: 1, .create, .sending)
    #expect(scene.lines == ["create 1 entry 4 frozen: ready"])
    scene.delete(1)
    #expect(scene.lines == ["create 1 entry 4 frozen: ready", "deletion 1: after 1"])
  }

  @Test func `what names an object waits for its lost create, and is blocked by an unknown one`() {
    var scene = Scene { $0.looksUpCreates = true }
    scene.insert(1)
    scene.entry(4, of: 1, .create, .sending)
    scene.insert(2, [.required(1)])
    #expect(scene.lines == ["lookUp 1 entry 4: ready", "create 2: after 1"])
    scene.situation.rules[0]?.looksUpCreates = false
    #expect(scene.lines == ["create 1 entry 4: unknown", "create 2: blocked by 4"])
  }

  @Test func `a lost command is repeated where it has a key`() {
    var scene = Scene()
    scene.entry(4, of: 1, .command, .sending, time: 980)
    scene.edit(1)
    #expect(scene.lines == ["command 1 entry 4: unknown", "update 1: blocked by 4"])
    scene.situation.rules[0]?.repeatsCommands = true
    #expect(scene.lines == ["command 1 entry 4 frozen: at 1010", "update 1: after 1"])
  }

  @Test func `an update with a key is repeated byte for byte`() {
    var scene = Scene()
    scene.edit(1, at: 60)
    scene.entry(4, of: 1, .update, .sending, edited: 50) { $0.idempotencyKey = "k" }
    #expect(scene.lines == ["update 1 entry 4 frozen: ready", "update 1: after 1"])
  }

  @Test func `a clock that was set back makes nothing wait for years`() {
    var scene = Scene { $0.repeatsCreates = true }
    scene.insert(1)
    scene.entry(4, of: 1, .create, .sending, time: 9_000_000)
    #expect(scene.lines == ["create 1 entry 4 frozen: ready"])
  }

  // MARK: Waiting ones

  @Test func `a waiting request is repeated at its time`() {
    var scene = Scene()
    scene.insert(1, at: 60)
    scene.entry(4, of: 1, .create, .waiting, edited: 60, next: 1_200)
    #expect(scene.lines == ["create 1 entry 4 frozen: at 1200"])
    scene.insert(1, at: 61)
    #expect(scene.lines == ["create 1 entry 4 frozen: at 1200", "update 1: after 1"])
    scene.situation.entries[4]?.request = nil
    #expect(scene.lines == ["create 1 entry 4: at 1200"])
    scene.edit(2)
    scene.entry(5, of: 2, .update, .waiting)
    #expect(scene.lines == ["update 2 entry 5: ready", "create 1 entry 4: at 1200"])
  }

  @Test func `a create that the server has nothing of is over once its object is deleted, unless it has a key`() {
    var scene = Scene()
    scene.entry(4, of: 1, .create, .waiting)
    #expect(scene.lines == [])
    #expect(scene.plan.over == [4])
    scene.situation.rules[0]?.repeatsCreates = true
    #expect(scene.lines == ["create 1 entry 4 frozen: ready"])
  }

  @Test func `a waiting change that was taken back is over, or read where it may have had an effect`() {
    var scene = Scene()
    scene.entry(4, of: 1, .update, .waiting)
    scene.entry(5, of: 2, .update, .waiting) { $0.attempts = 0 }
    scene.entry(6, of: 3, .deletion, .waiting)
    scene.entry(7, of: 4, .create, .waiting, request: nil)
    scene.entry(8, of: 5, .create, .waiting, request: nil) { $0.kept = "{}" }
    #expect(scene.lines == ["read 1 entry 4: ready", "create 5 entry 8: ready"])
    #expect(scene.plan.over == [5, 6, 7])
  }

  @Test func `marks are sent once, by the last entry that is made from them`() {
    var scene = Scene()
    scene.edit(1)
    scene.entry(4, of: 1, .update, .waiting)
    scene.entry(5, of: 1, .update, .sending, time: 970)
    #expect(scene.lines == ["update 1 entry 5: ready"])
    #expect(scene.plan.over == [4])
  }

  // MARK: Refused ones

  @Test(arguments: [OutboxEntry.State.refused, .conflict])
  func `a refused change is held until the object is edited`(state: OutboxEntry.State) {
    var scene = Scene()
    scene.edit(1, at: 50)
    scene.entry(4, of: 1, .update, state, edited: 50)
    #expect(scene.lines == ["update 1 entry 4: \(state)"])
    #expect(scene.plan.lines[0].properties == ColumnMask(0))
    scene.edit(1, at: 51)
    #expect(scene.lines == ["update 1 entry 4: ready"])
    scene.situation.pending = [:]
    #expect(scene.lines == [])
    #expect(scene.plan.over == [4])
  }

  @Test func `a refused create is over once the server has the object`() {
    var scene = Scene()
    scene.edit(1, at: 50)
    scene.entry(4, of: 1, .create, .refused, edited: 50)
    #expect(scene.lines == ["update 1: ready"])
    #expect(scene.plan.over == [4])
  }

  @Test func `a refused deletion is over without a tombstone`() {
    var scene = Scene()
    scene.delete(1)
    scene.entry(4, of: 1, .deletion, .refused)
    #expect(scene.lines == ["deletion 1 entry 4: refused"])
    scene.edit(1, at: 90)
    #expect(scene.lines == ["update 1: ready"])
    #expect(scene.plan.over == [4])
  }

  @Test func `a refused command holds the later changes of its object`() {
    var scene = Scene()
    scene.edit(1)
    scene.edit(2)
    scene.entry(4, of: 1, .command, .refused)
    #expect(scene.lines == ["update 2: ready", "command 1 entry 4: refused", "update 1: blocked by 4"])
  }

  @Test func `a refused change with a time is tried again, and nothing counts on it`() {
    var scene = Scene()
    scene.insert(1)
    scene.entry(4, of: 1, .create, .refused, next: 2_000)
    scene.insert(2, [.optional(1)])
    scene.insert(3, [.required(1)])
    #expect(scene.lines == ["create 1 entry 4: at 2000", "create 2 without 2: ready", "create 3: blocked by 4"])
    #expect(scene.plan.next == 2_000)
    scene.situation.now = 2_000
    #expect(scene.lines == ["create 1 entry 4: ready", "create 2 without 2: ready", "create 3: blocked by 4"])
    scene.situation.entries[4]?.next = .infinity
    #expect(scene.lines.contains("create 1 entry 4: refused"))
  }

  @Test func `a change of an object that the server deleted is held without marks`() {
    var scene = Scene()
    scene.entry(4, of: 1, .update, .gone) { $0.kept = "{}" }
    #expect(scene.lines == ["update 1 entry 4: gone"])
    #expect(scene.plan.over == [])
    scene.edit(1, at: 90)
    #expect(scene.lines == ["update 1 entry 4: gone", "update 1: blocked by 4"])
  }

  @Test func `what is about to be claimed is sending, whatever it was`() {
    var scene = Scene()
    scene.edit(1)
    scene.entry(4, of: 1, .update, .refused, next: 2_000)
    scene.insert(2)
    scene.insert(3, [.required(2)])
    scene.situation.claiming = [.row(1), .row(3), .row(77)]
    #expect(scene.lines == ["update 1 entry 4: sending", "create 3: sending", "create 2: ready"])
  }
}
