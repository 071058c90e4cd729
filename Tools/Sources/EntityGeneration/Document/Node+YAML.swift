import Foundation
import Yams

extension Node {
  /// Reads YAML as the specification wants it: the values that JSON has, too (OpenAPI 3.1, section "Format"). So a date
  /// and a word such as `yes` are texts.
  ///
  /// - Throws: ``GenerationError`` with the line of the mistake; for more than `limit` values, with the aliases written out.
  init(yaml text: String, of file: String, limit: Int) throws {
    try YAMLSize.check(text, of: file, limit: limit)
    let root: Yams.Node?
    do {
      root = try Yams.compose(yaml: text)
    } catch let error as YamlError {
      throw GenerationError(file, Self.sentence(error))
    }
    guard let root else { throw GenerationError(file, "The file is empty.") }
    self = Node(root)
  }

  /// - Parameter node: A tree whose size and depth were measured.
  private init(_ node: Yams.Node) {
    switch node {
    case .scalar(let scalar): self = Node(scalar)
    case .sequence(let sequence): self = .array(sequence.map { Node($0) })
    case .mapping(let mapping):
      var fields = Fields()
      var merged: [Node] = []
      for (key, node) in mapping {
        guard let key = key.scalar else { continue }
        let value = Node(node)
        // The merge key of YAML 1.1: `<<: *common`.
        if key.string == "<<", key.style == .plain || key.style == .any {
          merged = value.array ?? [value]
        } else {
          fields[key.string] = value
        }
      }
      for (key, value) in merged.flatMap({ $0.object?.pairs ?? [] }) where fields[key] == nil { fields[key] = value }
      self = .object(fields)
    case .alias: self = .null
    }
  }

  private init(_ scalar: Yams.Node.Scalar) {
    let text = scalar.string
    guard scalar.style == .plain || scalar.style == .any else {
      self = .string(text)
      return
    }
    self =
      switch text {
      case "", "~", "null", "Null", "NULL": .null
      case "true", "True", "TRUE": .bool(true)
      case "false", "False", "FALSE": .bool(false)
      default: Self.isNumber(text) ? .number(text) : .string(text)
      }
  }

  private static func isNumber(_ text: String) -> Bool {
    guard let first = text.utf8.first, text.utf8.count <= 400 else { return false }
    return (first == UInt8(ascii: "-") || (48...57).contains(first))
      && text.wholeMatch(of: /-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/) != nil
  }

  private static func sentence(_ error: YamlError) -> String {
    switch error {
    case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
      .composer(_, let problem, let mark, _):
      "Line \(mark.line), column \(mark.column): \(problem)."
    case .reader(let problem, _, _, _): "The YAML can't be read: \(problem)."
    case .duplicatedKeysInMapping(let duplicates, let context):
      "Line \(context.mark.line): the key '\(duplicates.first ?? "?")' stands twice."
    default: "The YAML can't be read."
    }
  }
}
