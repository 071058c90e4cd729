import EntityMacros
import EntityStore
import Foundation

@Entity final class ChainLink {
  var text: String
  var next: ChainLink?
  @Transient var isAwake = false
  /// A context alone would not hold the next one.
  @Transient var held: ChainLink?
}

extension ChainLink: AwakeningEntity {
  func awakeFromFetch() {
    isAwake = true
    held = next
    _ = held?.text
  }
}

@Entity final class Leaflet {
  var text: String
  var saves: Int
  var origin: String
  var ledger: Ledger?
  @Transient var awoken = ""

  struct Bad: Error {}
}

extension Leaflet: SavingEntity, AwakeningEntity {
  func willSave() throws {
    if text == "bad" { throw Bad() }
    if text == "save" { try entityContext?.saveAtOnce() }
    saves += 1
    ledger?.changes += 1
  }

  func awakeFromInsert() { origin = "here" }
  func awakeFromFetch() { awoken = "\(text) of \(ledger?.name ?? "none")" }
}

@Entity final class Ledger {
  var name: String
  var changes: Int
  var saves: Int
  @Transient var awoken = 0
  @Transient var others = 0
}

extension Ledger: SavingEntity, AwakeningEntity {
  func willSave() { saves += 1 }

  func awakeFromFetch() {
    awoken += 1
    others = (try? entityContext?.fetch(Ledger.all).count) ?? 0
  }
}

@Entity final class Flyleaf {
  @UID var uid: Int
  var origin: String
}

extension Flyleaf: AwakeningEntity {
  func awakeFromInsert() { origin = "here" }
}

@Entity final class Endless: SavingEntity {
  var text: String

  func willSave() throws { _ = try entityContext?.insert(Endless.self) }
}
