import CRivals
import EntityClient
import Foundation
import GRDB

/// A unit that gives 80,000 objects another link each: to one of their own entity, beside links to another entity.
func linkSaves(_ name: String, _ scale: Scale) -> Contest {
  let plan = LinkPlan(count: scale(80_000))
  return Contest(
    name: name, size: plan.size, operations: plan.count, ours: plan.contestant("ours", to: .nodes),
    rivals: [plan.floor(), plan.contestant("to-another", to: .hubs)])
}

private struct LinkPlan: Sendable {
  let count: Int

  enum Target: Sendable {
    case nodes, hubs

    var column: String { self == .nodes ? "parent" : "hub" }
    var table: String { self == .nodes ? "Node" : "Hub" }

    var tables: Tables {
      Tables(
        entities: [Node.self, Hub.self],
        digest: "SELECT n.uid, t.uid FROM Node n LEFT JOIN \(table) t ON t._pk = n.\(column) ORDER BY n.uid")
    }
  }

  /// Nodes, and as many hubs with the same uids.
  var objects: Body { Body(.array(count: count) { index, bytes in bytes.add("{\"id\":\(index)}") }) }

  var size: Int { objects.data.count }

  /// Another node or hub in each turn.
  func target(of index: Int, turn: Int) -> Int { (index + turn) % count }

  func contestant(_ name: String, to target: Target) -> Contestant {
    let plan = self
    let rows = Lazily {
      let rows = try SampleRows<Node>(target.tables)
      let (store, objects) = (rows.store, plan.objects)
      try rows.ingest(objects)
      _ = try wait { try await Hub.upsert(from: objects.data, in: store).counts }
      return rows
    }
    return contestant(name) { turn in
      let store = try rows.value().store
      return try wait {
        try await store.background(as: .server) { context in
          let nodes = try context.fetch(Node.all.sorted(by: \.uid))
          let hubs = target == .hubs ? try context.fetch(Hub.all.sorted(by: \.uid)) : []
          let start = Cost.Start()
          for (index, node) in nodes.enumerated() {
            let place = plan.target(of: index, turn: turn)
            switch target {
            case .nodes: node.parent = nodes[place]
            case .hubs: node.hub = hubs[place]
            }
          }
          return start
        }.cost
      }
    } digest: {
      try rows.value().digest()
    }
  }

  func floor() -> Contestant {
    let plan = self
    let rows = Lazily {
      let rows = try FloorRows(.file, Target.nodes.tables)
      try rows.ingest(plan.objects)
      return rows
    }
    // An empty table numbers its rows from 1.
    let owners = (1...Int64(count)).map(\.self)
    return contestant("c-floor") { turn in
      let targets = owners.indices.map { owners[plan.target(of: $0, turn: turn)] }
      return try Cost.of { try rows.value().link("UPDATE Node SET parent = ? WHERE _pk = ?", owners, to: targets) }
    } digest: {
      try rows.value().digest()
    }
  }

  private func contestant(
    _ name: String, link: @escaping (_ turn: Int) throws -> Cost, digest: @escaping () throws -> UInt64
  ) -> Contestant {
    var turn = 0
    return Contestant(
      name: name,
      time: {
        turn += 1
        return try link(turn)
      },
      digest: {
        _ = try link(1001)
        return try digest()
      })
  }
}
