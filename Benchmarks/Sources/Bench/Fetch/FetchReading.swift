import Foundation

/// A sum of a user's columns, without the keys; all contestants must get the same one. `read_row` of floor_rows.cpp has the same.
struct Checksum {
  private(set) var value = 0

  mutating func add(_ number: Int) { value &+= number }
  mutating func add(_ number: Int64) { value &+= Int(number) }
  mutating func add(_ number: Double) { value &+= Int(number) }
  mutating func add(_ flag: Bool) { value &+= flag ? 1 : 0 }
  mutating func add(_ date: Date?) { value &+= date.map { Int($0.timeIntervalSince1970) } ?? 0 }
  mutating func add(_ text: String?) {
    guard let text, let first = text.utf8.first else { return }
    value &+= Int(first) + text.utf8.count
  }
}

extension DeclaredUser {
  func add(to sum: inout Checksum) {
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

extension UserRecord {
  func add(to sum: inout Checksum) {
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

extension PlainUser {
  func add(to sum: inout Checksum) {
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
