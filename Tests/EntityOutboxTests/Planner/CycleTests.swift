import EntityClient
import Testing

/// Links that can't be sent: those of cycles, and those to objects that the server refused.
@Suite struct CycleTests {
  // MARK: Refused targets

  @Test func `an optional link to a refused object is left out, and a required one blocks`() {
    var scene = Scene()
    scene.insert(1)
    scene.entry(4, of: 1, .create, .refused)
    scene.insert(2, [.optional(1)])
    scene.insert(3, [.required(1), .optional(1)])
    scene.insert(5, [.required(3)])
    #expect(
      scene.lines == [
        "create 2 without 2: ready", "create 1 entry 4: refused", "create 3: blocked by 4", "create 5: blocked by 4",
      ])
    #expect(scene.plan.lines[0].properties == ColumnMask(0))
  }

  @Test func `an update leaves such a link out while it has something else`() {
    var scene = Scene()
    scene.insert(1)
    scene.entry(4, of: 1, .create, .refused)
    scene.edit(2, edited: [0], [.optional(1)])
    scene.edit(3, edited: [], [.optional(1)])
    #expect(scene.lines == ["update 2 without 2: ready", "create 1 entry 4: refused", "update 3: blocked by 4"])
  }

  @Test func `a link to an object behind a refused one is left out too`() {
    var scene = Scene()
    scene.insert(1)
    scene.entry(4, of: 1, .create, .refused)
    scene.insert(2, [.required(1)])
    scene.insert(3, [.optional(2)])
    #expect(scene.lines == ["create 3 without 2: ready", "create 1 entry 4: refused", "create 2: blocked by 4"])
  }

  @Test func `a list that names a refused object is left out as a whole, and waits for none of its members`() {
    var scene = Scene()
    scene.insert(1)
    scene.entry(4, of: 1, .create, .refused)
    scene.insert(2)
    scene.insert(3, [.optional(1, by: 5), .optional(2, by: 5)])
    #expect(scene.lines == ["create 2: ready", "create 3 without 5: ready", "create 1 entry 4: refused"])
  }

  @Test func `a blocked change names the lowest entries, each once`() {
    var scene = Scene()
    for pk in Int64(1)...20 {
      scene.insert(pk)
      scene.entry(pk + 100, of: pk, .create, .refused)
    }
    scene.insert(30, (1...20).reversed().map { .required($0, by: Int($0)) } + [.required(3)])
    scene.insert(31, [.required(30)])
    #expect(scene.plan.lines.suffix(2).map(\.state) == [.blocked(Array(101...116)), .blocked(Array(101...116))])
  }

  // MARK: Cycles

  @Test func `of a cycle the earliest edit leaves its link out`() {
    var scene = Scene()
    scene.insert(1, at: 9, [.optional(2)])
    scene.insert(2, at: 5, [.optional(3)])
    scene.insert(3, at: 7, [.optional(1)])
    #expect(scene.lines == ["create 2 without 2: ready", "create 1: after 2", "create 3: after 1"])
  }

  @Test func `a required link of a cycle stays`() {
    var scene = Scene()
    scene.insert(1, [.required(2)])
    scene.insert(2, [.required(3)])
    scene.insert(3, [.optional(1)])
    #expect(scene.lines == ["create 3 without 2: ready", "create 2: after 3", "create 1: after 2"])
  }

  @Test func `a change that leads to a cycle keeps its link`() {
    var scene = Scene()
    scene.insert(1, [.optional(2)])
    scene.insert(2, [.optional(3)])
    scene.insert(3, [.optional(2)])
    #expect(scene.lines == ["create 2 without 2: ready", "create 1: after 2", "create 3: after 2"])
  }

  @Test func `objects that all require one another say so, and so do those that require them`() {
    var scene = Scene()
    scene.insert(1, [.required(2)])
    scene.insert(2, [.required(1)])
    scene.insert(3, [.required(2)])
    scene.insert(4, [.optional(3)])
    scene.edit(5, edited: [], [.optional(1)])
    scene.insert(6, [.required(7), .optional(1)])
    scene.insert(7, [.optional(6)])
    #expect(
      scene.lines == [
        "create 4 without 2: ready", "create 7 without 2: ready", "create 6 without 2: after 7",
        "create 1: cycle of 1,2", "create 2: cycle of 1,2", "create 3: cycle of 1,2", "update 5: cycle of 1,2",
      ])
  }

  @Test func `in a knot of cycles those that can be sent are sent`() {
    // 1 and 2 require each other. 3 is behind them and before them.
    var scene = Scene()
    scene.insert(1, [.required(2), .optional(3)])
    scene.insert(2, [.required(1)])
    scene.insert(3, [.optional(1, by: 3)])
    #expect(scene.lines == ["create 3 without 3: ready", "create 1: cycle of 1,2", "create 2: cycle of 1,2"])
  }

  @Test func `an object behind a cycle is no part of it, though the cycle names the object`() {
    var scene = Scene()
    scene.insert(1, [.required(2), .optional(3)])
    scene.insert(2, [.required(1)])
    scene.insert(3, [.required(1)])
    #expect(scene.lines == ["create 1: cycle of 1,2", "create 2: cycle of 1,2", "create 3: cycle of 1,2"])
  }

  @Test func `an object that refers to itself is created without the link`() {
    var scene = Scene()
    scene.insert(1, [.optional(1)])
    scene.insert(2, [.required(2)])
    scene.insert(3, uid: "3", [.required(3)])
    scene.edit(4, [.required(4)])
    #expect(
      scene.lines == ["create 1 without 2: ready", "create 3: ready", "update 4: ready", "create 2: cycle of 2"])
  }

  @Test func `a cycle through an object that was refused is none`() {
    var scene = Scene()
    scene.insert(1, [.required(2)])
    scene.entry(4, of: 1, .create, .refused)
    scene.insert(2, [.required(1)])
    #expect(scene.lines == ["create 1 entry 4: refused", "create 2: blocked by 4"])
  }
}
