/// The hooks that an entity has: one look at bits is all that objects without hooks pay.
struct EntityHooks: OptionSet, Sendable {
  let rawValue: UInt8

  static let validates = EntityHooks(rawValue: 1)
  static let saves = EntityHooks(rawValue: 2)
  static let awakes = EntityHooks(rawValue: 4)

  init(rawValue: UInt8) { self.rawValue = rawValue }
}
