/// The value that an operation responds with, where the response has no object of an entity.
struct ValueRule {
  /// The Swift type, with `?` where there may be no value.
  let type: String
  /// Its key path; empty for the whole body.
  let keyPath: String

  static let plainTypes: Set<String> = ["String", "Int", "Double", "Bool"]

  /// `nil` for a value that no type is known for, and for a response that is no JSON.
  init?(_ raw: RawOperation, _ parent: RequestBuilder) {
    guard let answer = raw.answer else { return nil }
    let found = parent.answers.answered.first { $0.raw.name == raw.name }
    let schema = found?.object ?? answer.schema
    guard let view = SchemaView(schema), let type = Self.type(of: view, found, parent) else { return nil }
    keyPath = found?.keyPath ?? ""
    if found?.kind == .list {
      guard !view.isNullable else { return nil }
      self.type = raw.mayLackAnswer ? "[\(type)]?" : "[\(type)]"
    } else {
      self.type = raw.mayLackAnswer || view.isNullable ? "\(type)?" : type
    }
  }

  /// The struct of an object, or the type of a plain value.
  private static func type(
    of view: SchemaView, _ operation: AnsweredOperation?, _ parent: RequestBuilder
  ) -> String? {
    if let operation, let number = parent.builder.families.number(at: operation.object, operation.context) {
      return parent.builder.kinds[number] == .value ? parent.builder.name(number) : nil
    }
    switch view.type {
    case "string": return "String"
    case "integer": return "Int"
    case "number": return "Double"
    case "boolean": return "Bool"
    default: return nil
    }
  }
}
