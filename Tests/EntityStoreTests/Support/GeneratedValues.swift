import EntityStore
import Foundation

/// A check of the values that one query gives in one context, against those of the objects.
protocol GeneratedValues {
  associatedtype E: Generated
  var query: GeneratedQuery<E> { get }
  var context: EntityContext { get }
}

extension GeneratedValues {
  /// - Throws: ``GeneratedDifference`` where the values are not the expected ones.
  func check(_ what: String, _ values: [String], _ expected: [String]) throws {
    guard values != expected else { return }
    throw GeneratedDifference(description: "\(what) of \(query.text): \(values), not \(expected)")
  }

  /// The values of a row as text, which tells bytes apart.
  func text(_ values: Any?...) -> String {
    values.map { value in
      switch value {
      case let value as String: "\(value.bytes)"
      case let value as Data: "\(Array(value))"
      default: "\(value as Any)"
      }
    }.joined(separator: " ")
  }

  /// The rows that are equal to none before them.
  func distinct(_ rows: [String]) -> [String] {
    var seen: Set<String> = []
    return rows.filter { seen.insert($0).inserted }
  }

  func average(_ values: [Double]) -> Double? {
    values.isEmpty ? nil : values.reduce(0, +) / Double(values.count)
  }
}
