import EntityClient
import Foundation

/// Ours, in the main context.
final class MainFetches: FetchRows {
  private let entities: EntityRows<DeclaredUser>
  private let plan: FetchPlan
  private let held = onMain { Held() }
  var rows: any IngestedRows { entities }

  init(_ place: Place, _ plan: FetchPlan) throws {
    entities = try EntityRows(place)
    self.plan = plan
  }

  /// Objects that stay while others are fetched.
  @MainActor private final class Held {
    var users: [DeclaredUser] = []
  }

  func prepare(_ work: FetchWork) throws {
    let (store, held, plan) = (entities.store, held, plan)
    try onMain {
      switch work {
      case .first, .allColumns, .uid: held.users = []
      case .warm: held.users = try store.main.fetch(DeclaredUser.all)
      case .save: held.users = try store.main.fetch(UnitFetches.edited(plan))
      }
    }
  }

  func time(_ work: FetchWork, turn: Int) throws -> Cost {
    let (store, held, plan) = (entities.store, held, plan)
    return try onMain {
      let context = store.main
      return try Cost.of {
        switch work {
        case .first, .warm: consume(UnitFetches.scores(try context.fetch(DeclaredUser.all)))
        case .allColumns: consume(UnitFetches.checksum(try context.fetch(DeclaredUser.all)))
        case .uid: consume(UnitFetches.scores(try UnitFetches.find(plan.uids, context)))
        case .save:
          for user in held.users { user.score = FetchPlan.score(Int64(user.uid), turn: turn) }
          try context.save()
        }
      }
    }
  }

  func checksum(_ work: FetchWork) throws -> Int {
    let (store, plan) = (entities.store, plan)
    return try onMain {
      UnitFetches.checksum(try UnitFetches.found(work, plan, store.main))
    }
  }
}
