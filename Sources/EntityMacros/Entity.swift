import EntityStore

/// Makes a final class an entity: each of its stored properties is a column.
///
/// ```swift
/// @Entity final class User {
///   @UID @Key("id") var uid: Int
///   var email: String?
///   var age: Int = 18
///   var address: Address?
///   @Relationship(inverse: \Post.author, onDelete: .cascade) var posts: [Post]
/// }
/// ```
///
/// The macro writes the members that `ManagedEntity` requires, as `SampleSchema/Address.swift` shows by hand. The kind
/// of a property follows from its type: an attribute, a to-one relationship (an entity or its Optional) or a to-many
/// relationship (an array of entities). A default is one value for all objects. Static, `private` and `@Transient`
/// properties are no columns, and neither are computed properties without `@Derived`. Contexts make objects:
/// `context.insert(User.self)`. `User()` makes an object that enters a context later, by `context.insert(user)` or by a
/// link to an object of the context. An initializer must be a `convenience` initializer that first calls `self.init()`.
///
/// `@Entity(removed: "nickname")` says that an earlier version of the app had a property `nickname`. A file of that
/// version then opens, keeps the values and lists them in `removedParts()`. Without it, such a file is refused, because
/// it may be of a newer version.
///
/// - Parameter removed: The names of properties that earlier versions had and this version does not have.
@attached(
  member, names: named(Columns), named(columns), named(properties), named(_$state), named(init(_:)), named(_$load),
  named(_$store), named(init(from:)), named(encode(to:)), named(formerEntityNames), named(removedProperties))
@attached(memberAttribute)
@attached(extension, conformances: ManagedEntity, Identifiable, names: named(ID))
public macro Entity(removed: String...) = #externalMacro(module: "EntityMacrosPlugin", type: "EntityMacro")

/// ``Entity(removed:)`` puts this on each property that it persists. It writes the accessors and the slot.
@attached(accessor)
@attached(peer, names: prefixed(_$$))
public macro _EntityProperty() = #externalMacro(module: "EntityMacrosPlugin", type: "PropertyMacro")

/// ``Entity(removed:)`` puts this on each transient property that can be observed. It writes the accessors and the
/// variable that keeps the value.
@attached(accessor)
@attached(peer, names: prefixed(_$$))
public macro _EntityTransient() = #externalMacro(module: "EntityMacrosPlugin", type: "TransientMacro")
