/// From the bytes of a response to committed rows: 100,000 users with their addresses, in one transaction.
///
/// `cold` begins with an empty store; the others with one that has all users. Bodies come by turns, so that each run
/// has the same to do: in `changed` another age of every user, in `sparse` of one in a hundred, in `partial` three keys
/// of each user, one of them another age. `.byhand` has a written `update(with:)` of users and addresses, `.mixed` of users
/// alone; `.flat` has users without addresses.
/// `.history` is a store that keeps a history, beside one that keeps none; `.outbox` is one with a main context and an
/// outbox with nothing pending, beside one with a main context alone, and one whose commits nobody follows.
///
/// `.shuffled` has the users in no order, `.tenth` every tenth of those in the store. In `failing` the last element can't be
/// read, so that nothing of the changed users before it stays. `responses` has as many changed users in each response as the
/// name says, taken from all places: `median` and `p99` are the costs of one. The others have an entity of `Sample`.
let ingestGroup = Group(
  name: "ingest", contests: standardIngests + orderedIngests + responseIngests + sampleIngests + outboxIngests)

private typealias Contests = [(name: String, make: @Sendable (Scale) throws -> Contest)]

private let standardIngests: Contests = Place.allCases.flatMap { place in
  IngestWork.allCases.flatMap { work in
    let name = "ingest.\(place).\(work)"
    let (written, recorded) = (name + ".byhand", name + ".history")
    return [
      (name, { @Sendable scale in try ingest(name, place, .declared, UserBodies(work, .all, scale)) }),
      (written, { @Sendable scale in try ingest(written, place, .written, UserBodies(work, .all, scale)) }),
      (recorded, { @Sendable scale in ingestWithHistory(recorded, place, UserBodies(work, .all, scale)) }),
    ]
  }
}

private let orderedIngests: Contests = {
  let cases: [(work: IngestWork, users: UserChoice, mapping: Mapping)] = [
    (.cold, .shuffled, .declared), (.changed, .shuffled, .declared), (.unchanged, .shuffled, .declared),
    (.changed, .tenth, .declared), (.unchanged, .tenth, .declared),
    (.cold, .flat, .written), (.changed, .flat, .written), (.unchanged, .flat, .written),
    (.cold, .all, .mixed), (.changed, .all, .mixed), (.unchanged, .all, .mixed),
  ]
  return cases.map { work, users, mapping in
    let name = "ingest.file.\(work)\(mapping.rawValue)\(users.rawValue)"
    return (name, { @Sendable scale in try ingest(name, .file, mapping, UserBodies(work, users, scale)) })
  } + [("ingest.file.failing", { @Sendable scale in failing("ingest.file.failing", scale) })]
}()

private let responseIngests: Contests = [(1, 2_000), (20, 500), (256, 200)].flatMap { size, responses in
  [("median", 50), ("p99", 99)].map { label, percent in
    let name = "ingest.file.responses.\(size).\(label)"
    return (
      name,
      { @Sendable scale in
        let plan = ResponsePlan(users: scale(100_000), size: size, responses: scale(responses), percent: percent)
        return Contest(
          name: name, size: plan.size, ours: plan.contestant("ours") { try EntityRows<DeclaredUser>(.file) },
          rivals: userRivals(.file).map { plan.contestant($0, $1) })
      }
    )
  }
}

private let sampleIngests: Contests = Sample.all.flatMap { sample in
  [IngestWork.cold, .changed, .unchanged].map { work in
    let name = "ingest.file.\(work).\(sample.name)"
    return (
      name,
      { @Sendable scale in
        let base = Body(sample.json(scale, 0))
        let bodies = IngestBodies(base: base, turns: work == .changed ? [Body(sample.json(scale, 1)), base] : [base])
        func contestant(_ name: String, _ make: @escaping () throws -> any IngestedRows) -> Contestant {
          .ingesting(name, work, bodies, make)
        }
        return Contest(
          name: name, size: base.data.count, operations: scale(100_000),
          ours: contestant("ours") { try sample.makeRows(sample.tables) },
          rivals: [contestant("c-floor") { try FloorRows(.file, sample.tables) }])
      }
    )
  }
}

private let outboxIngests: Contests = [IngestWork.changed, .unchanged].map { work in
  let name = "ingest.file.\(work).outbox"
  return (
    name,
    { @Sendable scale in
      let users = UserBodies(work, .all, scale)
      func contestant(_ name: String, _ follower: EntityRows<DeclaredUser>.Follower) -> Contestant {
        .ingesting(name, work, users.bodies) { try EntityRows<DeclaredUser>(.file, followedBy: follower) }
      }
      return Contest(
        name: name, size: users.bodies.size, operations: users.count, ours: contestant("ours", .outbox),
        rivals: [
          contestant("without-outbox", .main), contestant("without-main", .outboxAlone),
          contestant("without-followers", .none),
        ])
    }
  )
}

/// How responses become the properties of ours, as in the names of cases.
private enum Mapping: String {
  case declared = ""
  case written = ".byhand"
  /// Written for users, and declared for addresses.
  case mixed = ".byhand.mixed"
}

/// The rivals that have users.
private func userRivals(_ place: Place) -> [(String, () throws -> any IngestedRows)] {
  [
    ("c-floor", { try FloorRows(place) }), ("grdb-records", { try GRDBRecordRows(place) }),
    ("grdb-prepared", { try GRDBStatementRows(place) }),
  ]
}

private func ingest(_ name: String, _ place: Place, _ mapping: Mapping, _ users: UserBodies) throws -> Contest {
  func contestant(_ name: String, _ make: @escaping () throws -> any IngestedRows) -> Contestant {
    .ingesting(name, users.work, users.bodies, make)
  }
  let declared = contestant(mapping == .declared ? "ours" : "declared") { try EntityRows<DeclaredUser>(place) }
  let ours =
    switch mapping {
    case .declared: declared
    case .written: contestant("ours") { try EntityRows<WrittenUser>(place) }
    case .mixed: contestant("ours") { try EntityRows<MixedUser>(place) }
    }
  return Contest(
    name: name, size: users.bodies.size, operations: users.count, ours: ours,
    rivals: (mapping == .declared ? [] : [declared]) + userRivals(place).map { contestant($0, $1) })
}

private func ingestWithHistory(_ name: String, _ place: Place, _ users: UserBodies) -> Contest {
  func contestant(_ name: String, keepsHistory: Bool) -> Contestant {
    .ingesting(name, users.work, users.bodies) { try EntityRows<DeclaredUser>(place, keepsHistory: keepsHistory) }
  }
  return Contest(
    name: name, size: users.bodies.size, operations: users.count, ours: contestant("ours", keepsHistory: true),
    rivals: [contestant("without-history", keepsHistory: false)])
}

/// GRDB is no rival: JSONDecoder throws before there is a row.
private func failing(_ name: String, _ scale: Scale) -> Contest {
  let users = UserBodies(.changed, .all, scale)
  let bodies = IngestBodies(base: users.bodies.base, turns: users.bodies.turns.prefix(1).map(\.withUnreadableEnd))
  func contestant(_ name: String, _ make: @escaping () throws -> any IngestedRows) -> Contestant {
    IngestTurns(bodies, ingest: { try $0.refuse($1) }, make: make).contestant(name)
  }
  return Contest(
    name: name, size: bodies.size, operations: users.count,
    ours: contestant("ours") { try EntityRows<DeclaredUser>(.file) },
    rivals: [contestant("c-floor") { try FloorRows(.file) }])
}
