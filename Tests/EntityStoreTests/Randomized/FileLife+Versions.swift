import Foundation
import TestSupport
import Testing

@testable import EntityStore

// The versions of the app.

extension FileLife {
  mutating func create() throws {
    for slot in 0..<3 { version.entities.append(ShapeEntity(slot: slot, name: newName())) }
    for index in version.entities.indices {
      for _ in 0..<(2 + random.below(4)) { version.entities[index].properties.append(newProperty()) }
    }
    try open()
    for entity in version.entities { try fill(entity) }
  }

  mutating func newProperty() -> ShapeProperty {
    let slot = version.entities[random.below(version.entities.count)].slot
    switch random.below(6) {
    case 0: return ShapeProperty(name: newName(), kind: .link(slot), isIndexed: true)
    case 1: return ShapeProperty(name: newName(), kind: .list(slot))
    default:
      let types: [AttributeType] = [
        .string, .integer(bits: 16, isSigned: true), .integer(bits: 64, isSigned: true), .float, .double,
      ]
      return ShapeProperty(
        name: newName(), kind: .attribute(types[random.below(types.count)]), isOptional: !random.chance(3),
        isIndexed: random.chance(3))
    }
  }

  /// The next version: some of the changes that a store makes by itself.
  mutating func change(_ steps: inout String) throws {
    for index in version.entities.indices {
      version.entities[index].formerNames = []
      for property in version.entities[index].properties.indices
      where !version.entities[index].properties[property].isSwapped {
        version.entities[index].properties[property].formerNames = []
      }
    }
    fresh = []
    for _ in 0..<(1 + random.below(5)) { steps += "\(changeOnce())\n" }
    for entity in version.entities { for property in entity.properties { fillIn(entity.slot, property) } }
    steps += "---\n"
  }

  private mutating func changeOnce() -> String {
    let index = random.below(version.entities.count)
    let slot = version.entities[index].slot
    let name = version.entities[index].name
    let count = version.entities[index].properties.count
    let place = count == 0 ? nil : random.below(count)
    switch random.below(13) {
    case 11, 12: return changeIndexes(index)
    case 10:
      let names = version.entities[index].properties.filter {
        $0.isStored && $0.formerNames.isEmpty && !fresh.contains($0.name)
      }.map(\.name)
      guard names.count > 1 else { return "nothing" }
      swapNames(index, names[0], names[1])
      return "\(name).\(names[0]) <> \(name).\(names[1])"
    case 0:
      guard version.entities[index].formerNames.isEmpty else { return "nothing" }
      version.entities[index].name = newName()
      version.entities[index].formerNames = [name]
      return "\(name) > \(version.entities[index].name)"
    case 1, 2:
      guard let place, version.entities[index].properties[place].formerNames.isEmpty else { return "nothing" }
      let old = version.entities[index].properties[place].name
      guard
        contents[slot]?.rows.values.contains(where: { $0.values.keys.contains(old) }) == true
          || contents[slot]?.pairs[old] != nil
      else { return "nothing" }
      let new = newName()
      version.entities[index].properties[place].name = new
      version.entities[index].properties[place].formerNames = ["never\(nextName)", old]
      renameIndexes(index, [old: new])
      renameContent(slot, old, new)
      return "\(name).\(old) > \(new)"
    case 3:
      guard let place, version.entities[index].properties[place].formerNames.isEmpty else { return "nothing" }
      let property = version.entities[index].properties.remove(at: place)
      version.entities[index].indexes.removeAll { $0.names(property.name) }
      version.entities[index].removed.append(property.name)
      aside[slot, default: []].append(property)
      return "- \(name).\(property.name)"
    case 4:
      guard let property = aside[slot]?.last, isPossible(property) else { return "nothing" }
      aside[slot]?.removeLast()
      version.entities[index].removed.removeAll { $0 == property.name }
      var back = property
      back.isOptional = random.chance(2)
      if !back.isAttribute { back.isOptional = true }
      version.entities[index].properties.append(back)
      fresh.insert(back.name)
      return "+ \(name).\(property.name) again"
    case 5:
      let property = newProperty()
      version.entities[index].properties.append(property)
      fresh.insert(property.name)
      if !property.isStored { contents[slot]?.pairs[property.name] = [:] }
      return "+ \(name).\(property.name): \(property.kind)"
    case 6:
      guard let place, case .attribute(let type) = version.entities[index].properties[place].kind else {
        return "nothing"
      }
      switch type {
      case .integer(bits: 16, _):
        version.entities[index].properties[place].kind = .attribute(.integer(bits: 64, isSigned: true))
      case .float: version.entities[index].properties[place].kind = .attribute(.double)
      default: return "nothing"
      }
      return "wider \(name).\(version.entities[index].properties[place].name)"
    case 7:
      guard let place, version.entities[index].properties[place].isAttribute else { return "nothing" }
      version.entities[index].properties[place].isOptional.toggle()
      return "toggled \(name).\(version.entities[index].properties[place].name)"
    case 8:
      guard let place, version.entities[index].properties[place].isAttribute else { return "nothing" }
      version.entities[index].properties[place].isIndexed.toggle()
      return "index \(name).\(version.entities[index].properties[place].name)"
    default:
      return removeOrAddEntity(index)
    }
  }

  private func isPossible(_ property: ShapeProperty) -> Bool {
    switch property.kind {
    case .attribute: true
    case .link(let slot), .list(let slot): version.entity(slot) != nil
    }
  }

  private mutating func removeOrAddEntity(_ index: Int) -> String {
    if let entity = asideEntities.popLast() {
      // All that refers to others stays away with it.
      version.entities.append(entity)
      removed.removeAll { $0 == entity.name }
      return "+ \(entity.name) again"
    }
    var entity = version.entities[index]
    let isHeld = version.entities.contains { other in
      other.slot != entity.slot && other.properties.contains { !$0.isAttribute && $0.refers(to: entity.slot) }
    }
    guard version.entities.count > 2, !isHeld, entity.formerNames.isEmpty,
      entity.properties.allSatisfy({ $0.formerNames.isEmpty && $0.isAttribute })
    else { return "nothing" }
    version.entities.remove(at: index)
    removed.append(entity.name)
    entity.formerNames = []
    asideEntities.append(entity)
    return "- \(entity.name)"
  }

  /// One index over several columns, or over a part of the rows, comes or goes.
  private mutating func changeIndexes(_ index: Int) -> String {
    let entity = version.entities[index]
    if !entity.indexes.isEmpty, random.chance(3) {
      return "- \(entity.name): \(version.entities[index].indexes.remove(at: random.below(entity.indexes.count)))"
    }
    let columns = entity.properties.filter(\.isStored).map(\.name).filter { _ in random.chance(2) }.prefix(3)
    guard !columns.isEmpty else { return "nothing" }
    var new = ShapeIndex(columns: Array(columns))
    if columns.count == 1 || random.chance(2) {
      new.partial = random.element(entity.properties.filter(\.isStored).map(\.name))
      // A text that has the name of a column keeps it.
      new.text = new.partial?.quoted ?? ""
    }
    guard !entity.indexes.contains(where: { $0.columns == new.columns && $0.condition == new.condition }) else {
      return "nothing"
    }
    version.entities[index].indexes.append(new)
    return "+ \(entity.name): \(new)"
  }

  private mutating func renameIndexes(_ entity: Int, _ names: [String: String]) {
    for index in version.entities[entity].indexes.indices { version.entities[entity].indexes[index].rename(names) }
  }

  /// Two properties have each other's name, and say so for ever.
  private mutating func swapNames(_ index: Int, _ first: String, _ second: String) {
    let slot = version.entities[index].slot
    renameIndexes(index, [first: second, second: first])
    for place in version.entities[index].properties.indices {
      let name = version.entities[index].properties[place].name
      guard [first, second].contains(name) else { continue }
      version.entities[index].properties[place].name = name == first ? second : first
      version.entities[index].properties[place].formerNames = [name]
      version.entities[index].properties[place].isSwapped = true
    }
    renameContent(slot, first, "between")
    renameContent(slot, second, first)
    renameContent(slot, "between", second)
  }

  private mutating func renameContent(_ slot: Int, _ old: String, _ new: String) {
    for pk in (contents[slot]?.rows ?? [:]).keys {
      if let value = contents[slot]?.rows[pk]?.values.removeValue(forKey: old) {
        contents[slot]?.rows[pk]?.values[new] = value
      }
      if let base = contents[slot]?.rows[pk]?.bases.removeValue(forKey: old) {
        contents[slot]?.rows[pk]?.bases[new] = base
      }
      if contents[slot]?.rows[pk]?.edited.remove(old) != nil { contents[slot]?.rows[pk]?.edited.insert(new) }
    }
    if let pairs = contents[slot]?.pairs.removeValue(forKey: old) { contents[slot]?.pairs[new] = pairs }
  }

  /// Rows without a value of a property that is required get the default.
  private mutating func fillIn(_ slot: Int, _ property: ShapeProperty) {
    guard property.isStored, !property.isOptional else { return }
    for (pk, row) in contents[slot]?.rows ?? [:] where row.bases[property.name] == .null {
      contents[slot]?.rows[pk]?.bases[property.name] = property.neutral
    }
    for (pk, row) in contents[slot]?.rows ?? [:] where (row.values[property.name] ?? .null).isNull {
      contents[slot]?.rows[pk]?.values[property.name] = property.neutral
    }
  }
}

extension ShapeProperty {
  fileprivate func refers(to slot: Int) -> Bool {
    switch kind {
    case .attribute: false
    case .link(let target), .list(let target): target == slot
    }
  }
}
