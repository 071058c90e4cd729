import Foundation

/// The plan of an outbox with 10,000 pending changes that link to one another; nothing is sent. A `budget` is the time that this
/// may take.
///
/// `plan` is the first one: from an outbox that is made to the screen that shows all changes. `replan` is that of one more edit,
/// which links to an object that others link to: from before the save to the screen. Usually seven changes are linked with one
/// another, and in `linked` all of them are. The costs for responses are `ingest.file.unchanged.outbox` and
/// `ingest.file.changed.outbox`.
let outboxGroup = Group(
  name: "outbox",
  contests: [
    (
      "outbox.plan",
      { @Sendable scale in
        let turns = PendingTurns(.groups, scale)
        return Contest(
          name: "outbox.plan", size: 1, operations: turns.count, ours: turns.planning(),
          rivals: [.budget(seconds: 0.2) { turns.expected(0) }])
      }
    )
  ]
    + PendingLinks.allCases.map { links in
      let name = "outbox.replan" + links.rawValue
      return (
        name,
        { @Sendable scale in
          let turns = PendingTurns(links, scale)
          return Contest(
            name: name, size: 1, operations: 1, ours: turns.replanning(),
            rivals: [.budget(seconds: 0.005) { turns.expected(turns.turn) }])
        }
      )
    })
