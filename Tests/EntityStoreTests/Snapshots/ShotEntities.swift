import EntityMacros
import EntityStore
import Foundation
import TestSchema

// The entities that the documentation of queries speaks of.

enum ShotRole: String, CaseIterable, AttributeValue { case admin, owner }

enum ShotPriority: Int, AttributeValue { case low, high }

struct ShotPermissions: OptionSet, AttributeValue {
  let rawValue: Int
  static let write = ShotPermissions(rawValue: 2)
}

struct ShotSettings: Codable, Equatable, AttributeValue {
  var isDark = false
}

@Entity final class ShotUser {
  @UID var uid: Int
  var name: String
  var email: String?
  var age: Int
  var score: Double
  var city: String?
  var isActive: Bool
  var active: Bool
  var firstName: String?
  var lastName: String?
  var role: ShotRole = .owner
  var permissions: ShotPermissions
  var tags: [String]
  var settings: ShotSettings?
  var length: Int
  var limit: Int
  var priority: ShotPriority = .low
  var boss: ShotUser?
  var address: ShotAddress?
  @Relationship(inverse: \ShotPost.author) var posts: [ShotPost]
  @Relationship(inverse: \ShotPassport.holder) var passport: ShotPassport?
  @Lazy var photo: Data?

  static let entityName: String = "User"
}

/// Has optionals under the same names.
@Entity final class ShotMember {
  @UID var uid: Int
  var role: ShotRole?
  var permissions: ShotPermissions?
  var score: Double?
  var length: Int?
  var limit: Int?
  var priority: ShotPriority?

  static let entityName: String = "Member"
}

@Entity final class ShotPost {
  @UID var uid: Int
  var title: String
  var author: ShotUser?
  var reviewer: ShotUser?
  var tags: [ShotTag]
  var isRead: Bool
  var views: Int
  var likes: Int
  var shares: Int
  var price: Double
  var weight: Double
  var length: Int
  var read: Int

  static let entityName: String = "Post"
  static var fullTextSearch: FullTextSearch<ShotPost>? { FullTextSearch(\.title) }
}

@Entity final class ShotTag {
  @UID var uid: Int
  var name: String
  @Relationship(inverse: \ShotPost.tags) var posts: [ShotPost]

  static let entityName: String = "Tag"
}

@Entity final class ShotAddress {
  var city: String?

  static let entityName: String = "Address"
}

@Entity final class ShotPassport {
  @UID var uid: Int
  var number: String
  var holder: ShotUser?

  static let entityName: String = "Passport"
}

@Entity final class ShotAccount {
  @UID var uid: Int
  var owner: ShotUser

  static let entityName: String = "Account"
}

@Entity final class ShotMessage {
  @UID var uid: Int
  var date: Date
  var account: ShotAccount

  static let entityName: String = "Message"
}

/// Its objects are loaded in part.
@Entity final class ShotProfile {
  @UID var uid: Int
  var bio: String?
  @Relationship(inverse: \ShotBadge.profile) var badge: ShotBadge?

  static let entityName: String = "Profile"
  static var tracksCoverage: Bool { true }
}

@Entity final class ShotBadge {
  @UID var uid: Int
  var profile: ShotProfile?

  static let entityName: String = "Badge"
}
