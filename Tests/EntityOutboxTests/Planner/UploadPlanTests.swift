import EntityClient
import Testing

/// The place of files among the changes of their objects, and among all requests.
@Suite struct UploadPlanTests {
  private func scene(repeats: Bool = true) -> Scene {
    Scene {
      $0.uploads = ["photo": repeats]
      $0.batch = PlanningRules.Batch(number: 0, limit: 5)
    }
  }

  @Test func `a file is behind all edits of its object, and before a later command`() {
    var scene = scene()
    scene.edit(1, at: 50)
    scene.entry(1, of: 1, .command, .waiting, edited: 10, request: nil) { $0.name = "photo" }
    #expect(scene.lines == ["update 1: ready", "command 1 entry 1: after 1"])
    scene.entry(2, of: 1, .update, .waiting, edited: 20) { $0.attempts = 0 }
    scene.entry(3, of: 1, .command, .waiting, edited: 30, request: nil) { $0.name = "ship" }
    #expect(
      scene.lines == [
        "update 1 entry 2 frozen: ready", "command 1 entry 1: after 1", "command 1 entry 3: after 1",
        "update 1: after 1",
      ])
  }

  @Test func `a file follows the create of its object, and a refused one holds up no edit`() {
    var scene = scene()
    scene.insert(1)
    scene.entry(1, of: 1, .command, .waiting, request: nil) { $0.name = "photo" }
    #expect(scene.lines == ["create 1: ready", "command 1 entry 1: after 1"])
    scene.edit(1, at: 50)
    scene.entry(1, of: 1, .command, .refused, request: nil) { $0.name = "photo" }
    #expect(scene.lines == ["update 1: ready", "command 1 entry 1: refused"])
    scene.entry(2, of: 1, .command, .waiting, request: nil) { $0.name = "photo" }
    #expect(scene.lines == ["update 1: ready", "command 1 entry 2: after 1", "command 1 entry 1: refused"])
  }

  @Test func `a file waits without a line while its object is deleted, unless its request is under way`() {
    var scene = scene()
    scene.delete(1)
    scene.entry(1, of: 1, .command, .waiting, request: nil) { $0.name = "photo" }
    #expect(scene.lines == ["deletion 1: ready"])
    #expect(scene.plan.over.isEmpty)
    scene.entry(1, of: 1, .command, .sending, request: nil) { $0.name = "photo" }
    scene.situation.underWay = [1]
    #expect(scene.lines == ["command 1 entry 1: sending", "deletion 1: after 1"])
    #expect(scene.plan.over.isEmpty)
  }

  @Test(arguments: [true, false]) func `a lost request of a file is sent again where it may be`(_ repeats: Bool) {
    var scene = scene(repeats: repeats)
    scene.entry(1, of: 1, .command, .sending, request: nil) { $0.name = "photo" }
    #expect(scene.lines == ["command 1 entry 1: \(repeats ? "ready" : "unknown")"])
    // The server has the file, and nonsense in its answer.
    scene.entry(1, of: 1, .command, .sending, next: .infinity, request: nil) { $0.name = "photo" }
    #expect(scene.lines == ["command 1 entry 1: unknown"])
  }

  @Test func `half of the requests at most are of files, which go after others and in no batch`() {
    var scene = scene()
    for pk in 1...5 {
      scene.entry(Int64(pk), of: Int64(pk), .command, .waiting, request: nil) {
        ($0.name, $0.attempts) = ("photo", 0)
      }
    }
    scene.edit(8)
    #expect(scene.plan.requests == [[5], [0], [1]])
    #expect(scene.plan.lines.map(\.state) == [.ready, .ready, .queued, .queued, .queued, .ready])
    scene.situation.uploading = 2
    #expect(scene.plan.requests == [[5]])
  }
}
