extension SchemaBuilder {
  /// A row has a bit for each column, and the macro refuses an entity with more.
  static let mostProperties = 128

  func entity(_ number: Int) throws(GenerationError) -> SchemaModel.Entity {
    let family = families.all[number]
    let name = name(number)
    var entity = SchemaModel.Entity(name: name, documentName: family.name)
    entity.documentation = Self.documentation(
      family.variants.lazy.compactMap { self.families.index.shape($0).description }.first)
    var taken: Set<String> = ["uid"]
    var properties = families.properties(of: family)
    let parts = family.uid?.parts ?? []
    if let uid = family.uid, !uid.isComposite {
      entity.properties.append(uidProperty(uid, properties, number))
      properties.removeAll { $0.keyPath == uid.keyPath }
    } else {
      properties =
        parts.compactMap { part in properties.first { $0.keyPath == part } }
        + properties.filter { !parts.contains($0.keyPath) }
    }
    for property in properties {
      guard entity.properties.count < Self.mostProperties else {
        entity.leftOut.append(property.keyPath)
        continue
      }
      let part = parts.contains(property.keyPath) ? uidPart(property) : self.property(property, of: number)
      guard var made = part else { continue }
      var unique = made.name
      var count = 2
      // SQLite compares names of columns without regard to case.
      while !taken.insert(unique.lowercased()).inserted {
        unique = "\(made.name)\(count == 2 ? "Value" : "Value\(count)")"
        count += 1
      }
      made.name = try chosenName(of: unique, in: [family.name, name], &taken)
      if let choice = decisions.choice("\(name).\(made.name)") { apply(choice, to: &made) }
      entity.properties.append(made)
    }
    return entity
  }

  /// The name that a person has given to a property, else its own.
  private func chosenName(
    of name: String, in owners: [String], _ taken: inout Set<String>
  ) throws(GenerationError) -> String {
    let keys = owners.map { "\($0).\(name)" }
    guard let chosen = keys.lazy.compactMap(decisions.name).first, chosen != name else { return name }
    let reason: String? =
      if chosen.first?.isLowercase != true {
        "the name of a property begins with a small letter"
      } else if SwiftNames.isOfEntities(chosen) {
        "each entity has a member of that name"
      } else if !taken.insert(chosen.lowercased()).inserted {
        "another property has that name"
      } else {
        nil
      }
    if let reason {
      throw GenerationError(Settings.file, "'\(keys[0])' can't be called '\(chosen)': \(reason).")
    }
    return chosen
  }

  /// - Parameter choice: A type, with or without `?`.
  private func apply(_ choice: String, to property: inout SchemaModel.Property) {
    property.isOptional = choice.hasSuffix("?")
    property.type = choice.trimmingSuffix("?")
    property.choose = nil
    property.transformer = nil
    let isEntity = swiftNames.contains { $0.value == property.elementType && kinds[$0.key] != .value }
    property.role = !isEntity ? .attribute : property.elementType == property.type ? .toOne : .toMany
    if property.role != .toMany { property.inverse = nil }
  }

  private func uidProperty(
    _ uid: UIDRule.Choice, _ properties: [Family.Property], _ number: Int
  ) -> SchemaModel.Property {
    let type = uidType(number)
    let text = properties.first { $0.keyPath == uid.keyPath }.flatMap { SchemaView($0.places[0])?.description }
    return SchemaModel.Property(
      name: "uid", keyPath: uid.keyPath, type: type, role: .uid, isOptional: false, transformer: nil, inverse: nil,
      choose: nil, documentation: Self.documentation(text))
  }

  /// One of several properties that are the uid together.
  private func uidPart(_ property: Family.Property) -> SchemaModel.Property {
    SchemaModel.Property(
      name: SwiftNames.property(property.key) ?? "unnamed", keyPath: property.keyPath, type: uidType(property.places),
      role: .uid, isOptional: false, transformer: nil, inverse: nil, choose: nil,
      documentation: Self.documentation(SchemaView(property.places[0])?.description))
  }

  /// `Int`, `UUID` or `String`.
  func uidType(_ number: Int) -> String {
    let family = families.all[number]
    guard let uid = family.uid else { return "String" }
    var places = families.properties(of: family).first { $0.keyPath == uid.keyPath }?.places ?? []
    if uid.keyPath == "metadata.uid" {
      places = family.variants.compactMap {
        Shape(of: families.index.shape($0)["metadata"]?.place ?? families.index.document.place)["uid"]?.place
      }
    }
    return uidType(places)
  }

  private func uidType(_ places: [Place]) -> String {
    let views = places.compactMap { SchemaView($0) }
    let found = scalars.evidence[places]
    if !views.isEmpty, views.allSatisfy({ $0.type == "integer" }), found.fits("Int") { return "Int" }
    if !views.isEmpty, views.allSatisfy({ $0.format == "uuid" }), found.fits("UUID") { return "UUID" }
    return "String"
  }

  private func property(_ property: Family.Property, of number: Int) -> SchemaModel.Property? {
    guard let view = SchemaView(property.places[0]) else {
      findings.note(.broken, property.places[0].name, "The property has no schema that can be read; it was left out.")
      return nil
    }
    let owner = name(number)
    let swiftName = SwiftNames.property(property.key) ?? "unnamed"
    let views = property.places.compactMap { SchemaView($0) }
    let found = scalars.evidence[property.places]
    let isNullable = views.contains { $0.isNullable } || found.hasNull
    var made = SchemaModel.Property(
      name: swiftName, keyPath: property.keyPath, type: "JSONValue", role: .attribute,
      isOptional: isNullable || !property.isRequired, transformer: nil, inverse: nil, choose: nil,
      documentation: Self.documentation(view.description))
    made.isDeprecated = views.allSatisfy { $0.node["deprecated"]?.bool == true }
    if object(property, view, views, found, into: &made) { return made }
    if let link = link(by: property, of: number, view: view, found: found) {
      made.name = link.name
      made.type = link.type
      made.role = .toOne
      made.isOptional = true
      return made
    }
    let scalar = scalars.type(of: property.places)
    made.choose = scalar.choose ?? linkQuestion(by: property, view: view)
    made.transformer = scalar.transformer
    made.type = scalar.swift
    if let values = scalar.enumeration {
      made.type = enumName(values, at: property.places[0], owner: owner, key: property.key)
    }
    made.isOptional = made.isOptional || scalar.needsOptional
    if scalar.swift.hasPrefix("[") || scalar.swift == "JSONObject" { made.isOptional = isNullable }
    return made
  }

  /// A property that is an object of the document, or a list of them.
  private func object(
    _ property: Family.Property, _ view: SchemaView, _ views: [SchemaView], _ found: Evidence,
    into made: inout SchemaModel.Property
  ) -> Bool {
    let context = families.context(of: property)
    let isList = view.items != nil
    // Variants may have a text where another has an object.
    guard views.allSatisfy({ ($0.items != nil) == isList }) else { return false }
    let targets = Set(
      property.places.compactMap { place -> Int? in
        guard let view = SchemaView(place) else { return nil }
        return families.number(at: view.items ?? place, context)
      })
    guard targets.count == 1, let target = targets.first, let kind = kinds[target] else { return false }
    let type = name(target)
    let allLead = property.places.allSatisfy { place in
      SchemaView(place).map { families.number(at: $0.items ?? place, context) == target } ?? false
    }
    switch (kind, isList) {
    case (.value, false):
      guard allLead, found.fits("Object") else { return false }
      (made.type, made.isOptional) = (type, true)
    case (.value, true):
      let elements = scalars.evidence[views.compactMap(\.items)]
      guard allLead, found.fits("Array"), !elements.hasNull, elements.fits("Object") else { return false }
      (made.type, made.isOptional) = ("[\(type)]", made.isOptional && (found.hasNull || view.isNullable))
    case (_, false):
      guard found.fits(kind == .entity ? "Link" : "Object") else { return false }
      (made.type, made.role, made.isOptional) = (type, .toOne, true)
    case (_, true):
      guard found.fits("Array") else { return false }
      (made.type, made.role, made.isOptional) = ("[\(type)]", .toMany, false)
    }
    return true
  }
}
