import EntityClient
import Testing

/// Which changes wait for which other ones.
@Suite struct PlannerTests {
  @Test func `nothing pending plans nothing`() {
    #expect(Scene().plan == PlannedOutbox())
  }

  @Test func `changes without a link are ready in the order of their edits`() {
    var scene = Scene()
    scene.insert(1, at: 30)
    scene.edit(2, at: 10)
    scene.delete(3, at: 20)
    scene.edit(5, at: 40)
    scene.edit(4, at: 40)
    scene.situation.width = 9
    #expect(
      scene.lines == ["update 2: ready", "deletion 3: ready", "create 1: ready", "update 4: ready", "update 5: ready"])
  }

  @Test func `an entity without rules has no line, and its entries stay`() {
    var scene = Scene()
    scene.edit(1)
    scene.entry(4, of: 1, .deletion, .refused)
    scene.situation.rules = [:]
    #expect(scene.plan == PlannedOutbox())
  }

  @Test func `a line has the properties of its object, and a deletion has none`() {
    var scene = Scene()
    scene.edit(1, edited: [0, 3])
    scene.delete(2)
    #expect(scene.plan.lines.map { Array($0.properties.indices) } == [[0, 3], []])
  }

  // MARK: Width

  @Test func `no more than the width is ready, and what is under way or about to be counts`() {
    var scene = Scene()
    for pk in Int64(1)...6 { scene.edit(pk) }
    scene.entry(1, of: 6, .update, .sending)
    scene.situation.underWay = [1]
    scene.situation.claiming = [.row(5)]
    scene.situation.width = 3
    #expect(
      scene.lines == [
        "update 5: sending", "update 6 entry 1: sending", "update 1: ready", "update 2: queued", "update 3: queued",
        "update 4: queued",
      ])
  }

  @Test func `an object that is about to be claimed and under way counts once`() {
    var scene = Scene()
    scene.edit(1)
    scene.edit(2)
    scene.entry(1, of: 1, .update, .sending)
    scene.situation.underWay = [1]
    scene.situation.claiming = [.row(1)]
    scene.situation.width = 2
    #expect(scene.lines == ["update 1 entry 1: sending", "update 2: ready"])
  }

  // MARK: Links to new objects

  @Test func `a change comes after the create of an object that it names`() {
    var scene = Scene()
    scene.insert(1, at: 9)
    scene.edit(2, at: 1, [.optional(1)])
    scene.insert(3, at: 2, [.required(1)])
    #expect(scene.lines == ["create 1: ready", "update 2: after 1", "create 3: after 1"])
  }

  @Test func `a new object with a uid that was made here is waited for all the same`() {
    var scene = Scene()
    scene.insert(1, uid: "5")
    scene.insert(2, [.required(1)])
    #expect(scene.lines == ["create 1: ready", "create 2: after 1"])
  }

  @Test func `a link to an object that the server has waits for nothing`() {
    var scene = Scene()
    scene.edit(1)
    scene.edit(2, [.required(1), .optional(7)])
    #expect(scene.lines == ["update 1: ready", "update 2: ready"])
  }

  @Test func `a new object whose entity has no rules is waited for by what requires it alone`() {
    var scene = Scene()
    let stranger = RowKey(entity: 8, pk: 9)
    scene.situation.pending[stranger] = PendingFacts(
      key: stranger, kind: .insert, uid: nil, number: 1, edited: ColumnMask())
    scene.insert(1, [PendingFacts.Link(property: 1, target: stranger, isRequired: true)])
    scene.insert(2, [PendingFacts.Link(property: 1, target: stranger, isRequired: false)])
    scene.edit(3, edited: [1], [PendingFacts.Link(property: 1, target: stranger, isRequired: false)])
    #expect(scene.lines == ["create 1: after 9", "create 2 without 1: ready", "update 3: after 9"])
  }

  // MARK: Deletions

  @Test func `a deletion comes after the changes of objects that are or were linked to the object`() {
    var scene = Scene()
    scene.delete(1)
    scene.edit(2, former: [1])
    scene.edit(3, [.optional(1)])
    scene.edit(4)
    #expect(scene.lines == ["update 2: ready", "update 3: ready", "deletion 1: after 2,3", "update 4: ready"])
  }

  @Test func `deletions of objects that were linked to one another don't wait forever`() {
    var scene = Scene()
    scene.delete(1, former: [2])
    scene.delete(2, former: [1])
    #expect(scene.lines == ["deletion 1: ready", "deletion 2: after 1"])
  }

  @Test func `a refused or blocked change holds up no deletion`() {
    var scene = Scene()
    scene.edit(1, former: [9])
    scene.entry(4, of: 1, .update, .refused)
    scene.insert(2)
    scene.entry(5, of: 2, .create, .refused)
    scene.insert(3, [.required(2), .optional(9)])
    scene.delete(9)
    #expect(
      scene.lines == [
        "deletion 9: ready", "update 1 entry 4: refused", "create 2 entry 5: refused", "create 3: blocked by 5",
      ])
  }

  @Test func `a deletion waits for what can be sent of an object whose later change is refused`() {
    var scene = Scene()
    scene.edit(1, former: [9])
    scene.entry(1, of: 1, .update, .sending)
    scene.entry(2, of: 1, .command, .refused)
    scene.situation.underWay = [1]
    scene.delete(9)
    #expect(scene.lines == ["update 1 entry 1: sending", "deletion 9: after 1", "command 1 entry 2: refused"])
  }

  @Test func `an object that a delete rule deleted is not sent, and its entries are over`() {
    var scene = Scene()
    scene.delete(1)
    scene.delete(2, cause: 1)
    scene.delete(3, cause: 1)
    scene.entry(4, of: 3, .update, .sending)
    #expect(scene.lines == ["deletion 1: ready"])
    #expect(scene.plan.over == [4])
  }

  @Test func `parts are sent before the object whose deletion deleted them, where the rules say so`() {
    var scene = Scene { $0.sendsPartsFirst = true }
    scene.delete(1)
    scene.delete(2, cause: 1)
    scene.delete(3, cause: 1)
    scene.entry(4, of: 3, .deletion, .refused)
    #expect(scene.lines == ["deletion 2: ready", "deletion 1: after 2", "deletion 3 entry 4: refused"])
  }

  // MARK: The last one

  @Test func `an object that is sent last waits for all that refers to it`() {
    var scene = Scene { $0.isLast = true }
    scene.edit(1)
    scene.insert(2, [.required(1)])
    scene.edit(3, [.optional(1)])
    #expect(scene.lines == ["create 2: ready", "update 3: ready", "update 1: after 2,3"])
    scene.entry(4, of: 3, .update, .refused)
    #expect(scene.lines == ["create 2: ready", "update 1: blocked by 4", "update 3 entry 4: refused"])
  }

  @Test func `the create of an object that is sent last can't wait for those that name it`() {
    var scene = Scene { $0.isLast = true }
    scene.insert(1)
    scene.insert(2, [.required(1)])
    #expect(scene.lines == ["create 1: ready", "create 2: after 1"])
  }

  @Test func `objects that are sent last and refer to one another don't wait forever`() {
    var scene = Scene { $0.isLast = true }
    scene.edit(1, [.optional(2)])
    scene.edit(2, [.optional(1)])
    #expect(scene.lines == ["update 1: ready", "update 2: after 1"])
  }

  // MARK: One object

  @Test func `an object has one request under way: its entries by number, the marks last`() {
    var scene = Scene { $0.repeatsCreates = true }
    scene.insert(1, at: 50)
    scene.entry(8, of: 1, .command, .waiting, edited: 40)
    scene.entry(7, of: 1, .create, .sending, edited: 30)
    scene.entry(9, of: 1, .command, .waiting, edited: 45)
    #expect(
      scene.lines == [
        "create 1 entry 7 frozen: ready", "command 1 entry 8 frozen: after 1", "command 1 entry 9 frozen: after 1",
        "update 1: after 1",
      ])
    scene.situation.underWay = [7]
    #expect(scene.lines.first == "create 1 entry 7: sending")
  }

  @Test func `a command on an object comes after its create`() {
    var scene = Scene()
    scene.insert(1)
    scene.entry(8, of: 1, .command, .waiting)
    #expect(scene.lines == ["create 1: ready", "command 1 entry 8 frozen: after 1"])
  }

  @Test func `a command counts on the values of before: the frozen update is not made anew`() {
    var scene = Scene()
    scene.edit(1, at: 50)
    scene.entry(7, of: 1, .update, .waiting, edited: 40)
    scene.entry(8, of: 1, .command, .waiting, edited: 40)
    #expect(
      scene.lines == ["update 1 entry 7 frozen: ready", "command 1 entry 8 frozen: after 1", "update 1: after 1"])
  }

  @Test func `what was not edited since the request has no line of its own`() {
    var scene = Scene()
    scene.edit(1, at: 40)
    scene.entry(7, of: 1, .update, .sending, edited: 40)
    scene.situation.underWay = [7]
    #expect(scene.lines == ["update 1 entry 7: sending"])
    scene.edit(1, at: 41)
    #expect(scene.lines == ["update 1 entry 7: sending", "update 1: after 1"])
  }

  // MARK: Pauses

  @Test func `a pause makes ready changes wait, and its end is the next moment`() {
    var scene = Scene()
    scene.edit(1)
    scene.insert(2)
    scene.edit(3, [.optional(2)])
    scene.entry(4, of: 2, .create, .waiting, next: 1_100)
    scene.situation.pausedUntil = 1_038
    #expect(scene.lines == ["update 1: at 1038", "create 2 entry 4 frozen: at 1100", "update 3: after 2"])
    #expect(scene.plan.next == 1_038)
    scene.situation.now = 1_038
    #expect(scene.lines == ["update 1: ready", "create 2 entry 4 frozen: at 1100", "update 3: after 2"])
    #expect(scene.plan.next == 1_100)
  }

  @Test func `a pause without an end stays one`() {
    var scene = Scene()
    scene.edit(1)
    scene.edit(2)
    scene.entry(1, of: 2, .update, .sending)
    scene.situation.underWay = [1]
    scene.situation.pausedUntil = .infinity
    #expect(scene.lines == ["update 2 entry 1: sending", "update 1: at ∞"])
    #expect(scene.plan.next == nil)
  }
}
