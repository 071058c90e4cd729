/// The callbacks of an entity. An entity without callbacks pays for one look at these bits.
struct EntityCallbacks: OptionSet, Sendable {
  let rawValue: UInt8

  static let validates = EntityCallbacks(rawValue: 1)
  static let saves = EntityCallbacks(rawValue: 2)
  static let awakes = EntityCallbacks(rawValue: 4)

  init(rawValue: UInt8) { self.rawValue = rawValue }
}
