/// The hooks of an entity. An entity without hooks pays for one look at these bits.
struct EntityHooks: OptionSet, Sendable {
  let rawValue: UInt8

  static let validates = EntityHooks(rawValue: 1)
  static let saves = EntityHooks(rawValue: 2)
  static let awakes = EntityHooks(rawValue: 4)

  init(rawValue: UInt8) { self.rawValue = rawValue }
}
