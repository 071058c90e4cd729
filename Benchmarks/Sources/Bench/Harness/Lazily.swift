/// A value that is made when it is first asked for: a contestant that does not run costs nothing.
final class Lazily<Value> {
  private let make: () throws -> Value
  private var made: Value?

  init(_ make: @escaping () throws -> Value) { self.make = make }

  func value() throws -> Value {
    if let made { return made }
    let new = try make()
    made = new
    return new
  }
}
