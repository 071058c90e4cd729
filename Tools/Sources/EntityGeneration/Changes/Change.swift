/// A difference between the document of the last run and the present one, in the words of the article on migrations.
public struct Change: Sendable, Equatable, CustomStringConvertible {
  /// An entity, or `Entity.property`.
  public let subject: String
  public let sentence: String
  /// Whether a file of a person has to change.
  public let needsPerson: Bool

  public var description: String { "\(needsPerson ? "!" : " ") \(subject): \(sentence)" }
}

/// Compares two models.
struct ModelComparison {
  /// The older model, with the names that its entities have in the new one.
  private let old: SchemaModel
  private let new: SchemaModel
  /// The names of the files that a person has taken over.
  private let own: Set<String>

  init(old: SchemaModel, new: SchemaModel, own: Set<String> = []) {
    (self.old, self.new, self.own) = (old.renamed(as: new), new, own)
  }

  var changes: [Change] {
    entityChanges + structChanges + enumChanges + (schemaChange.map { [$0] } ?? [])
  }

  private var entityChanges: [Change] {
    let before = Dictionary(old.entities.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    let after = Dictionary(new.entities.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    var changes: [Change] = []
    for name in Set(before.keys).union(after.keys).sorted() {
      switch (before[name], after[name]) {
      case (let old?, let new?):
        for former in new.formerNames where !old.formerNames.contains(former) {
          changes.append(
            Change(
              subject: name,
              sentence:
                "was called `\(former)`. `--apply` renames the class, and writes `@Renamed(from: \"\(former)\")`. "
                + "Rename its file, and it where your code names it.", needsPerson: true))
        }
        changes += propertyChanges(old, new)
        if let change = requestChange(old, new) { changes.append(change) }
      case (nil, _?):
        changes.append(
          Change(
            subject: name, sentence: "new. The store adds it by itself; its files are written.", needsPerson: false))
      case (_?, nil):
        changes.append(
          Change(
            subject: name,
            sentence: "gone. Delete its files, and open the store with `removed: [\"\(name)\"]`.", needsPerson: true))
      case (nil, nil): break
      }
    }
    return changes
  }

  private func propertyChanges(_ before: SchemaModel.Entity, _ after: SchemaModel.Entity) -> [Change] {
    let gone = before.properties.filter { property in !after.properties.contains { $0.keyPath == property.keyPath } }
    let added = after.properties.filter { property in !before.properties.contains { $0.keyPath == property.keyPath } }
    var changes: [Change] = []
    let renames = Self.renames(from: before, to: after)
    for property in gone {
      var sentence = "gone. `--apply` deletes it, and writes `@Entity(removed: \"\(property.name)\")`."
      if let other = renames[property.name] {
        sentence =
          "gone, or called `\(other)` now. Write `@Renamed(from: \"\(property.name)\")` there after `--apply`, "
          + "or else `@Entity(removed: \"\(property.name)\")`: the store refuses its file until one of them is there."
      }
      changes.append(Change(subject: "\(before.name).\(property.name)", sentence: sentence, needsPerson: true))
    }
    for property in added {
      let line = EntityFile.line(property, keyStyle: new.keyStyle)
      changes.append(
        Change(
          subject: "\(after.name).\(property.name)",
          sentence: "new. The store adds it by itself. The line: \(line)", needsPerson: true))
    }
    for property in after.properties {
      guard let former = before.properties.first(where: { $0.keyPath == property.keyPath }),
        let sentence = Self.sentence(former, property, of: after.name)
      else { continue }
      changes.append(Change(subject: "\(after.name).\(property.name)", sentence: sentence, needsPerson: true))
    }
    return changes
  }

  /// The names that properties may have now, by those that they had: one of the same key, or the only new one of the type.
  static func renames(from before: SchemaModel.Entity, to after: SchemaModel.Entity) -> [String: String] {
    var renames: [String: String] = [:]
    let gone = before.properties.filter { property in !after.properties.contains { $0.keyPath == property.keyPath } }
    let added = after.properties.filter { property in !before.properties.contains { $0.keyPath == property.keyPath } }
    for property in before.properties {
      if let same = after.properties.first(where: { $0.keyPath == property.keyPath }) {
        if same.name != property.name { renames[property.name] = same.name }
        continue
      }
      let isAlike = { (other: SchemaModel.Property) in
        other.fullType == property.fullType && other.role == property.role
      }
      let candidates = added.filter(isAlike)
      if candidates.count == 1, gone.filter(isAlike).count == 1 { renames[property.name] = candidates[0].name }
    }
    return renames
  }

  private static func sentence(
    _ old: SchemaModel.Property, _ new: SchemaModel.Property, of entity: String
  ) -> String? {
    if old.name != new.name {
      return "was called `\(old.name)`. Write `@Renamed(from: \"\(old.name)\")` there after `--apply`."
    }
    if old.role != new.role {
      return
        "was \(old.fullType), and is \(new.fullType): an attribute and a link are converted by a step that you write."
    }
    if old.type != new.type {
      if old.role != .attribute && old.role != .uid { return "leads to \(new.type), and led to \(old.type)." }
      return "was \(old.fullType), and is \(new.fullType). A step: "
        + "`try $0.convert(\"\(new.name)\", of: \"\(entity)\", to: \(new.type).self, sql: \"\(sql(new))\")`."
    }
    if old.isOptional != new.isOptional {
      return new.isOptional
        ? "can be null now: `\(new.fullType)`. The store changes it by itself."
        : "is never null now: `\(new.fullType)`. The store changes it by itself where each row has a value."
    }
    if old.transformer != new.transformer {
      return
        "is written otherwise: \(new.transformer.map { "`@Transformed(by: \($0).self)`" } ?? "without `@Transformed`")."
    }
    return nil
  }

  private static func sql(_ property: SchemaModel.Property) -> String {
    switch property.type {
    case "Int", "Bool": "CAST(\(property.name) AS INTEGER)"
    case "Double", "Date": "CAST(\(property.name) AS REAL)"
    case "String": "CAST(\(property.name) AS TEXT)"
    default: "…"
    }
  }

  private func requestChange(_ old: SchemaModel.Entity, _ new: SchemaModel.Entity) -> Change? {
    guard old.requests != new.requests else { return nil }
    var parts: [String] = []
    let (before, after) = (old.requests, new.requests)
    if before?.basePath != after?.basePath { parts.append("its path is `\(after?.basePath ?? "-")`") }
    if before?.listEnvelope != after?.listEnvelope || before?.itemEnvelope != after?.itemEnvelope {
      parts.append("its envelope has changed")
    }
    parts += Self.differences(before?.calls ?? [], after?.calls ?? [])
    return change(of: new.name, parts, in: "\(new.name)+Requests.swift")
  }

  private var schemaChange: Change? {
    guard old.requests != new.requests else { return nil }
    return change(of: "\(new.prefix)Schema", Self.differences(old.requests, new.requests), in: "Requests.swift")
  }

  private static func differences(_ before: [SchemaModel.Call], _ after: [SchemaModel.Call]) -> [String] {
    let (before, after) = (Set(before.map(\.operation)), Set(after.map(\.operation)))
    return after.subtracting(before).sorted().map { "`\($0)` is new" }
      + before.subtracting(after).sorted().map { "`\($0)` is gone" }
  }

  private func change(of subject: String, _ parts: [String], in file: String) -> Change {
    let isOwn = own.contains(file)
    let what = parts.isEmpty ? "its requests have changed" : parts.joined(separator: "; ")
    let then = isOwn ? "is yours: see that it names nothing that is gone." : "is written anew."
    return Change(subject: subject, sentence: "\(what). `\(file)` \(then)", needsPerson: isOwn)
  }

  private var structChanges: [Change] {
    new.structs.compactMap { after in
      guard let before = old.structs.first(where: { $0.name == after.name }), before.properties != after.properties
      else {
        return nil
      }
      let keys = (Set(before.properties.map(\.key)), Set(after.properties.map(\.key)))
      let added = after.properties.filter { !keys.0.contains($0.key) }.map { "`var \($0.name): \($0.type)?`" }
      let gone = keys.0.subtracting(keys.1).sorted().map { "`\($0)` is gone" }
      let parts = added.map { "\($0) is new" } + gone
      return Change(
        subject: after.name,
        sentence: (parts.isEmpty ? ["its fields have other types"] : parts).joined(separator: "; ")
          + ". It is JSON in a column: the store has nothing to change.", needsPerson: true)
    }
  }

  private var enumChanges: [Change] {
    new.enums.compactMap { after in
      guard let before = old.enums.first(where: { $0.name == after.name }), before.cases != after.cases else {
        return nil
      }
      let known = Set(before.cases.map(\.rawValue))
      let added = after.cases.filter { !known.contains($0.rawValue) }.map { "`\($0.rawValue)`" }
      let text = added.isEmpty ? "has fewer values" : "has the new values \(added.joined(separator: ", "))"
      return Change(
        subject: after.name,
        sentence: "\(text). A value without a case stays in the row.", needsPerson: true)
    }
  }
}
