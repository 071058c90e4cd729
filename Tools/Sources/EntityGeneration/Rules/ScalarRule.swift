/// The type of a property that is neither an object of the document nor a list of them.
struct ScalarType: Equatable {
  var swift: String
  var transformer: String?
  /// Whether the type has no value that could stand for "none".
  var needsOptional = false
  var choose: String?
  /// The values of an enum of the document, whose type `swift` is named later.
  var enumeration: [String]?
}

struct ScalarRule {
  let evidence: EvidenceBook
  let findings: Findings

  /// - Parameter places: The property in each variant.
  func type(of places: [Place]) -> ScalarType {
    guard let first = places.first, let view = SchemaView(first) else {
      return ScalarType(swift: "JSONValue", needsOptional: true)
    }
    let found = evidence[places]
    let declared = common(of: places) ?? declared(view, places, found)
    let kind = declared.transformer ?? Self.kind(declared)
    if found.fits(kind) { return declared }
    // An example is stronger than its schema.
    let replacement =
      kind == "DateOnly" && found.fits("Date")
      ? ScalarType(swift: "Date", needsOptional: true)
      : found.fits("String")
        ? ScalarType(swift: "String", choose: nil) : ScalarType(swift: "JSONValue", needsOptional: true)
    if kind != "DateOnly" || replacement.swift != "Date" {
      let named = ["Array": "array", "Object": "object"][kind] ?? kind
      findings.note(.broken, first.name, "An example is no \(named), so the property is a \(replacement.swift).")
    }
    return replacement
  }

  /// The type that reads the values of all variants, where these declare different ones; `nil` where they agree.
  private func common(of places: [Place]) -> ScalarType? {
    let views = places.compactMap { SchemaView($0) }
    let types = Set(views.map { $0.type ?? "any" })
    guard types.count == 1 else {
      if types == ["integer", "number"] { return ScalarType(swift: "Double") }
      return types.isSubset(of: ["string", "integer", "number"])
        ? ScalarType(swift: "String") : ScalarType(swift: "JSONValue", needsOptional: true)
    }
    let formats = Set(views.map { $0.format ?? "" })
    guard types == ["string"], formats.count > 1, views.allSatisfy({ $0.enumeration == nil }) else { return nil }
    return formats == ["date", "date-time"]
      ? ScalarType(swift: "Date", needsOptional: true) : ScalarType(swift: "String")
  }

  private static func kind(_ type: ScalarType) -> String {
    if type.enumeration != nil { return "String" }
    if type.swift.hasPrefix("[") { return "Array" }
    return type.swift == "JSONObject" ? "Object" : type.swift
  }

  private func declared(_ view: SchemaView, _ places: [Place], _ found: Evidence) -> ScalarType {
    if let values = enumeration(view, places) {
      return ScalarType(swift: "", needsOptional: true, enumeration: values)
    }
    switch view.type {
    case "string": return text(view, found)
    case "integer": return ScalarType(swift: "Int")
    case "number": return ScalarType(swift: "Double")
    case "boolean": return ScalarType(swift: "Bool")
    case "array": return list(view)
    case "object":
      let isMap = view.node["additionalProperties"]?.object?.isEmpty == false
      return ScalarType(
        swift: "JSONObject",
        choose: isMap ? "a map by keys that the document does not name. `[String: …]` reads it, too." : nil)
    default: return union(view)
    }
  }

  /// The values of all variants: one may lack what another has.
  private func enumeration(_ view: SchemaView, _ places: [Place]) -> [String]? {
    guard var values = view.enumeration, view.type == "string" || view.type == nil else { return nil }
    for place in places.dropFirst() {
      for value in SchemaView(place)?.enumeration ?? [] where !values.contains(value) { values.append(value) }
    }
    return values.count <= 200 ? values : nil
  }

  private func text(_ view: SchemaView, _ found: Evidence) -> ScalarType {
    switch view.format {
    case "date-time": return ScalarType(swift: "Date", needsOptional: true)
    case "date":
      // An example with a time says more than the format.
      let isDay = found.fits("DateOnly")
      return ScalarType(swift: "Date", transformer: isDay ? "DateOnly" : nil, needsOptional: true)
    case "date-time-rfc-2822": return ScalarType(swift: "Date", transformer: "RFC2822Date", needsOptional: true)
    case "uuid": return ScalarType(swift: "UUID", needsOptional: true)
    case "uri", "url": return ScalarType(swift: "URL", needsOptional: true)
    default:
      let isAmount = ["decimal", "amount", "money", "numeric"].contains(view.format)
      // A value that is only read loses nothing as a number. A server may want one that is sent as a text.
      if isAmount, view.node["readOnly"]?.bool == true { return ScalarType(swift: "Decimal", needsOptional: true) }
      let isDecimal = found.areDecimals || isAmount
      return ScalarType(
        swift: "String",
        choose: isDecimal ? "a number as a text. `Decimal` reads it, too, and is compared as a number." : nil)
    }
  }

  private func list(_ view: SchemaView) -> ScalarType {
    let free = ScalarType(swift: "JSONValue", needsOptional: true)
    guard let items = view.items, let element = SchemaView(items), !element.isNullable else { return free }
    let types = ["string": "String", "integer": "Int", "number": "Double", "boolean": "Bool"]
    guard let type = element.type.flatMap({ types[$0] }) ?? (element.enumeration == nil ? nil : "String") else {
      return free
    }
    let found = evidence[[items]]
    guard !found.hasNull, found.fitsStrictly(type) else {
      return found.hasNull || !found.fitsStrictly("String") ? free : ScalarType(swift: "[String]")
    }
    return ScalarType(swift: "[\(type)]")
  }

  private func union(_ view: SchemaView) -> ScalarType {
    let types = Set((view.branches.isEmpty ? typeList(view) : view.branches.map { SchemaView($0)?.type ?? "any" }))
    if !types.isEmpty, types.isSubset(of: ["string", "integer", "number"]) {
      return types == ["integer", "number"] ? ScalarType(swift: "Double") : ScalarType(swift: "String")
    }
    guard view.branches.count > 1 else { return ScalarType(swift: "JSONValue", needsOptional: true) }
    let key = view.node["discriminator"]?["propertyName"]?.string
    let by = key.map { ", by \"\($0)\"" } ?? ""
    return ScalarType(
      swift: "JSONValue", needsOptional: true, choose: "one of \(view.branches.count) kinds of values\(by).")
  }

  private func typeList(_ view: SchemaView) -> [String] {
    (view.node["type"]?.array ?? []).compactMap(\.string).filter { $0 != "null" }
  }
}
