import Foundation

/// A sum of a user's columns, without the keys; all contestants must get the same one. `read_row` of floor_rows.cpp has the same.
struct Checksum {
  private(set) var value = 0

  mutating func add(_ number: some BinaryInteger) { value &+= Int(truncatingIfNeeded: number) }
  mutating func add(_ number: Double) { value &+= Int(number) }
  mutating func add(_ flag: Bool) { value &+= flag ? 1 : 0 }
  mutating func add(_ date: Date?) { value &+= date.map { Int($0.timeIntervalSince1970) } ?? 0 }
  mutating func add(_ text: String?) {
    guard let text, let first = text.utf8.first else { return }
    value &+= Int(first) + text.utf8.count
  }
}

/// The columns of a user, whichever contestant has read them.
protocol UserColumns {
  associatedtype UID: BinaryInteger

  var uid: UID { get }
  var email: String? { get }
  var firstName: String? { get }
  var lastName: String? { get }
  var age: Int { get }
  var score: Double { get }
  var active: Bool { get }
  var createdAt: Date? { get }
  var bio: String? { get }
}

extension UserColumns {
  /// Inlined into each contestant, so that none pays for the protocol.
  @inline(__always) func add(to sum: inout Checksum) {
    sum.add(uid)
    sum.add(email)
    sum.add(firstName)
    sum.add(lastName)
    sum.add(age)
    sum.add(score)
    sum.add(active)
    sum.add(createdAt)
    sum.add(bio)
  }
}

extension UserRecord: UserColumns {}
extension PlainUser: UserColumns {}
