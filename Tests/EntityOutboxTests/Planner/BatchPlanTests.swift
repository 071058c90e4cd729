import EntityClient
import Testing

/// The requests of a plan whose changes go together.
@Suite struct BatchPlanTests {
  private func scene(limit: Int = 2, width: Int = 1) -> Scene {
    var scene = Scene { $0.batch = PlanningRules.Batch(number: 0, limit: limit) }
    scene.situation.width = width
    return scene
  }

  @Test func `a request has as many changes as the limit, in their order`() {
    var scene = scene(limit: 2, width: 2)
    for pk in 1...5 { scene.edit(Int64(pk)) }
    #expect(scene.plan.requests == [[0, 1], [2, 3], [4]])
    #expect(scene.plan.lines.map(\.state) == [.ready, .ready, .ready, .ready, .queued])
  }

  @Test func `a change that waits for another one is in no request`() {
    var scene = scene()
    scene.insert(1)
    scene.insert(2, [.required(1)])
    scene.insert(3)
    #expect(scene.lines == ["create 1: ready", "create 2: after 1", "create 3: ready"])
    #expect(scene.plan.requests == [[0, 2]])
  }

  @Test func `a change that failed before goes alone`() {
    var scene = scene(limit: 5)
    for pk in 1...3 { scene.edit(Int64(pk)) }
    scene.entry(1, of: 2, .update, .waiting)
    #expect(scene.plan.requests == [[0, 2], [1]])
  }

  @Test func `changes of one batch under way count as one request`() {
    var scene = scene(limit: 2, width: 2)
    for pk in 1...4 { scene.edit(Int64(pk)) }
    scene.situation.claiming = [.row(1), .row(2)]
    scene.situation.shared = 1
    #expect(scene.plan.lines.map(\.state) == [.sending, .sending, .ready, .ready])
  }

  @Test func `questions go alone`() {
    var scene = Scene {
      $0.batch = PlanningRules.Batch(number: 0, limit: 5)
      $0.looksUpCreates = true
    }
    for pk in 1...2 {
      scene.insert(Int64(pk))
      scene.entry(Int64(pk), of: Int64(pk), .create, .sending) { $0.attempts = 0 }
    }
    #expect(scene.plan.requests == [[0], [1]])
  }
}
