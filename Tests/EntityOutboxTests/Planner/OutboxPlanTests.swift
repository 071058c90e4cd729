import EntityClient
import Foundation
import Testing

/// The plan for people.
@Suite struct OutboxPlanTests {
  private struct Names: OutboxNames {
    var notes: [Int64: String] = [:]
    func id(_ key: RowKey) -> AnyEntityID { AnyEntityID(entityName: entity(key), pk: key.pk) }
    func property(_ index: Int, of key: RowKey) -> String { ["note", "customer", "total"][index] }
    func request(_ line: PlannedLine) -> (method: String, path: String?) {
      let path = entity(line.key).lowercased() + "s"
      switch line.action {
      case .create: return ("POST", path)
      case .update: return ("PATCH", "\(path)/\(line.key.pk)")
      case .deletion: return ("DELETE", "\(path)/\(line.key.pk)")
      case .command: return ("POST", nil)
      case .lookUp, .read: return ("GET", "\(path)/\(line.key.pk)")
      }
    }
    func note(_ line: PlannedLine) -> String? { notes[line.key.pk] }
    private func entity(_ key: RowKey) -> String { ["Order", "Customer", "Item"][key.entity] }
  }

  private func shown(_ scene: Scene, notes: [Int64: String] = [:], pause: String? = nil) throws -> OutboxPlan {
    let utc = try #require(TimeZone(identifier: "UTC"))
    return OutboxPlan(
      scene.plan, of: scene.situation, names: Names(notes: notes), pause: pause, timeZone: utc)
  }

  @Test func `a plan is a table`() throws {
    var scene = Scene()
    scene.situation.width = 9
    scene.edit(10, at: 1, edited: [0, 2])
    scene.insert(2)
    scene.insert(3, edited: [0], [.optional(2, by: 1)])
    scene.insert(4, edited: [0], [.optional(9, by: 1)])
    scene.edit(11)
    scene.entry(1, of: 11, .update, .refused) { $0.status = 422 }
    scene.insert(9, edited: [])
    scene.entry(2, of: 9, .create, .sending, time: 60)
    scene.edit(12, edited: [], [.required(9, by: 1)])
    let plan = try shown(scene, notes: [10: #"If-Match "7""#], pause: "offline, next try in 38 s")
    #expect(
      plan.description == """
        paused: offline, next try in 38 s
        1  PATCH  orders/10  note, total         If-Match "7"
        2  POST   orders     note                ready
        3  POST   orders     note, customer ‹2›  after 2
        4  POST   orders     note                without customer, which follows as an update
        -  POST   orders     (row 9)             unknown since 00:01: the answer was lost, and nothing says how to ask; confirm or drop it
        -  PATCH  orders/11  note                refused 422 by the server at 00:15; edit it, retry or drop it
        -  PATCH  orders/12  customer            waits for orders (row 9), whose answer was lost
        """)
    #expect(plan.lines.map(\.number) == [1, 2, 3, 4, nil, nil, nil])
    #expect(plan.lines[2].description == "3  POST  orders  note, customer ‹2›  after 2")
    #expect(plan.lines[2].state == .after([AnyEntityID(entityName: "Order", pk: 2)]))
    #expect(plan.lines[5].entry == 1)
    #expect(plan.lines[5].entity == "Order")
  }

  @Test func `nothing pending says so`() throws {
    #expect(try shown(Scene()).description == "nothing is pending")
    #expect(try shown(Scene(), pause: "signed out").description == "paused: signed out")
  }

  /// The reasons of the lines of a scene.
  private func reasons(_ change: (inout Scene) -> Void) throws -> [String] {
    var scene = Scene()
    scene.situation.width = 9
    change(&scene)
    return try shown(scene).lines.map(\.reason)
  }

  @Test func `each state has its reason`() throws {
    #expect(
      try reasons {
        $0.situation.width = 0
        $0.edit(1)
      } == ["waits until another request ends"])
    #expect(
      try reasons {
        $0.edit(1)
        $0.situation.claiming = [.row(1)]
      } == ["its request is under way"])
    #expect(
      try reasons {
        $0.edit(1)
        $0.entry(1, of: 1, .update, .sending, time: 990)
      } == ["sent again, because the answer was lost; waits until 00:17:00"])
    #expect(
      try reasons {
        $0.edit(1)
        $0.entry(1, of: 1, .update, .waiting, next: 90_000)
      } == ["sent again"])
    #expect(
      try reasons {
        $0.edit(1)
        $0.entry(1, of: 1, .update, .waiting, next: 87_000)
      } == ["sent again; waits until 1970-01-02 00:10:00"])
    #expect(
      try reasons {
        $0.edit(1)
        $0.entry(1, of: 1, .update, .refused, next: 4_500) { $0.status = 500 }
      } == ["refused 500 by the server at 00:15, tried again at 01:15"])
    #expect(
      try reasons {
        $0.edit(1)
        $0.entry(1, of: 1, .update, .refused)
      } == ["refused before it was sent at 00:15; edit it, retry or drop it"])
    #expect(
      try reasons {
        $0.edit(1)
        $0.entry(1, of: 1, .update, .conflict)
        $0.entry(2, of: 2, .update, .gone)
        $0.entry(3, of: 3, .update, .sending)
        $0.entry(4, of: 1, .command, .waiting)
      } == [
        "reads the object, because the answer was lost and the change was taken back",
        "conflicts with the server's value since 00:15; settle it",
        "waits for orders/1, which has a conflict",
        "the server deleted the object, seen at 00:15; restore or drop it",
      ])
    #expect(
      try reasons {
        $0.insert(1, [.required(2)])
        $0.insert(2, [.required(1)])
      }
        == Array(
          repeating:
            "requires an object that is not created yet, and is required by it: orders (row 1), orders (row 2);"
            + " take out a link", count: 2))
    #expect(
      try reasons {
        $0.situation.rules[0]?.looksUpCreates = true
        $0.entry(1, of: 1, .create, .sending)
      } == ["asks for the object, because the answer was lost"])
  }

  @Test func `a refusal says its ways out`() throws {
    #expect(
      try reasons {
        $0.entry(1, of: 1, .command, .refused) { $0.status = 400 }
        $0.delete(2)
        $0.entry(2, of: 2, .deletion, .refused) { $0.status = 403 }
        $0.edit(3)
        $0.entry(3, of: 3, .update, .refused) { ($0.status, $0.reason) = (200, RequestError.notTakenIn + " No JSON.") }
      } == [
        "refused 400 by the server at 00:15; retry or drop it",
        "refused 403 by the server at 00:15; retry or drop it",
        "accepted 200 by the server, whose answer was not taken in, at 00:15; edit it, retry or drop it",
      ])
    #expect(
      try reasons {
        $0.situation.rules[0]?.repeatsCreates = true
        $0.insert(1)
        $0.entry(1, of: 1, .create, .sending, next: 4_501) { $0.status = 500 }
        $0.insert(2, [.required(1)])
      } == [
        "refused 500 by the server at 00:15, tried again at 01:15", "waits for orders (row 1), which was refused",
      ])
  }

  @Test func `an outbox that was not started says so before its pause`() throws {
    var scene = Scene()
    scene.edit(1)
    let plan = OutboxPlan(
      scene.plan, of: scene.situation, names: Names(), pause: "signed out", isSending: false)
    #expect(
      plan.description == """
        not started: call start() or send()
        paused: signed out
        1  PATCH  orders/1  note  ready
        """)
    scene = Scene()
    let empty = OutboxPlan(scene.plan, of: scene.situation, names: Names(), isSending: false)
    #expect(empty.description == "nothing is pending")
  }

  @Test func `a pause says its reason once`() throws {
    #expect(
      try reasons {
        $0.edit(1)
        $0.situation.pausedUntil = .infinity
      } == ["ready"])
    var scene = Scene()
    scene.edit(1)
    scene.situation.pausedUntil = .infinity
    #expect(try shown(scene).lines[0].state == .later(nil))
    scene.situation.pausedUntil = 1_010
    #expect(try shown(scene).lines[0].state == .later(Date(timeIntervalSince1970: 1_010)))
  }

  @Test func `a long list of changes before is cut`() throws {
    #expect(
      try reasons {
        for pk in Int64(1)...7 { $0.insert(pk) }
        $0.insert(8, edited: [], (1...7).map { .optional($0, by: 1) })
      }.last == "after 1, 2, 3, 4, 5 and 2 more")
  }

  @Test func `the request of an entry shows its own properties, and a command its name`() throws {
    var scene = Scene()
    scene.situation.rules[0]?.repeatsCreates = true
    scene.entry(1, of: 1, .create, .waiting) { $0.sent = #"{"total": 5, "note": "x"}"# }
    scene.entry(2, of: 2, .command, .waiting) { $0.name = "cancel" }
    let plan = try shown(scene)
    #expect(plan.lines.map(\.properties) == [["note", "total"], ["cancel"]])
    #expect(plan.lines.map(\.path) == ["orders", "(row 2)"])
  }

  @Test func `times that no clock had are shown as some time`() throws {
    for time in [Double.infinity, .nan, -.infinity, 1e300] {
      #expect(
        try reasons {
          $0.edit(1)
          $0.entry(1, of: 1, .update, .conflict, time: time)
        }.first?.hasPrefix("conflicts with the server's value since ") == true)
    }
  }
}
