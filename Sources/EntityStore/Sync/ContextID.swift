/// Tells the contexts of one process apart.
struct ContextID: Hashable, Sendable {
  let number: Int
}
