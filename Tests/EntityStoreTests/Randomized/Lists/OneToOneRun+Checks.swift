import TestSchema

@testable import EntityStore

extension OneToOneRun {
  func check() throws {
    for (code, skipper) in here.permits {
      let permit = try object(permits, code, main)
      guard permit.skipper?.code == skipper else {
        throw Difference(text: "permit \(code) has skipper \(permit.skipper?.code ?? 0), and not \(skipper ?? 0)")
      }
    }
    for code in here.skippers {
      let skipper = try object(skippers, code, main)
      guard skipper.permit?.code == here.permit(of: code) else {
        throw Difference(
          text: "skipper \(code) has permit \(skipper.permit?.code ?? 0), and not \(here.permit(of: code) ?? 0)")
      }
    }
  }

  func checkQueries() throws {
    for code in here.skippers {
      let skipper = try object(skippers, code, main)
      guard try main.count(Permit.where { $0.skipper == skipper }) == (here.permit(of: code) == nil ? 0 : 1) else {
        throw Difference(text: "a query finds other permits of \(code)")
      }
    }
    let free = try main.count(Skipper.where { $0.permit == nil })
    guard free == here.skippers.filter({ here.permit(of: $0) == nil }).count else {
      throw Difference(text: "a query finds \(free) skippers without a permit")
    }
  }
}
