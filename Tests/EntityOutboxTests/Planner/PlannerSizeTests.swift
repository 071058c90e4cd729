import EntityClient
import TestSupport
import Testing

/// Plans of many objects: nothing goes down a chain by calls, and no shape takes the square of its size.
@Suite struct PlannerSizeTests {
  private static let count: Int64 = Seeds.isSanitized ? 2_000 : 20_000

  private static func scene(
    _ count: Int64 = count, _ links: (Int64) -> [PendingFacts.Link]
  ) -> Scene {
    var scene = Scene()
    for pk in 0..<count { scene.insert(pk, links(pk)) }
    return scene
  }

  @Test func `a chain of 100,000 links is planned from its end`() {
    let count: Int64 = Seeds.isSanitized ? 5_000 : 100_000
    let plan = Self.scene(count) { $0 < count - 1 ? [.required($0 + 1)] : [] }.plan
    #expect(plan.lines.map(\.key.pk) == (0..<count).reversed())
    #expect(plan.lines.first?.state == .ready)
    #expect(plan.lines.last?.state == .after([.row(1)]))
  }

  @Test func `a circle of many leaves one link out`() {
    let plan = Self.scene { [.optional(($0 + 1) % Self.count)] }.plan
    #expect(plan.lines.count { !$0.leftOut.isEmpty } == 1)
    #expect(plan.lines.first?.text == "create 0 without 2: ready")
  }

  @Test func `many circles leave one link out each`() {
    let plan = Self.scene { [.optional($0 ^ 1)] }.plan
    #expect(plan.lines.count { !$0.leftOut.isEmpty } == Int(Self.count) / 2)
  }

  @Test func `a circle of many required links is one cycle`() {
    let plan = Self.scene { [.required(($0 + 1) % Self.count)] }.plan
    #expect(plan.lines.first?.state == .cycle((0..<Self.count).map { .row($0) }))
    #expect(plan.lines.allSatisfy { $0.state == plan.lines.first?.state })
  }

  @Test func `one object that many name, and one that names many`() {
    let all = Self.scene { $0 > 0 ? [.required(0)] : [] }.plan
    #expect(all.lines.count { $0.state == .after([.row(0)]) } == Int(Self.count) - 1)
    let one = Self.scene { $0 == 0 ? (1..<Self.count).map { .required($0) } : [] }.plan
    #expect(one.lines.last?.state == .after((1..<Self.count).map { .row($0) }))
  }

  @Test func `a chain behind many refused objects names a few of them`() {
    var scene = Self.scene { $0 == Self.count / 2 ? (0..<$0).map { .required($0) } : [.required($0 - 1)] }
    for pk in 0..<Self.count / 2 { scene.entry(pk + 1, of: pk, .create, .refused) }
    #expect(scene.plan.lines.last?.state == .blocked(Array(1...16)))
  }

  @Test func `a kept plan takes many deletions of one cause in and out`() {
    var scene = Scene { $0.sendsPartsFirst = true }
    var keeper = PlanKeeper()
    _ = keeper.plan(scene.situation, changed: nil)
    scene.delete(0)
    for pk in 1..<Self.count { scene.delete(pk, cause: 0) }
    let keys = Set(scene.situation.pending.keys)
    #expect(keeper.plan(scene.situation, changed: keys) == scene.plan)
    scene.situation.pending = [:]
    #expect(keeper.plan(scene.situation, changed: keys).lines.isEmpty)
  }

  @Test func `a kept plan takes edits beside an object that all others name`() {
    var scene = Self.scene { $0 > 0 ? [.required(0)] : [] }
    var keeper = PlanKeeper()
    _ = keeper.plan(scene.situation, changed: nil)
    for pk in Self.count - 100..<Self.count {
      scene.insert(pk, at: pk % 2 == 0 ? 2 * Self.count : 1, pk % 3 == 0 ? [] : [.optional(pk - 1)])
      #expect(keeper.plan(scene.situation, changed: [.row(pk)]).lines.count == Int(Self.count))
    }
    #expect(keeper.plan(scene.situation, changed: []) == scene.plan)
    // The server has the object that they name: all wait for nothing any more.
    scene.edit(0)
    #expect(keeper.plan(scene.situation, changed: [.row(0)]) == scene.plan)
  }
}
