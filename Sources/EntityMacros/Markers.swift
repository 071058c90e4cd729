public import EntityStore

/// The server's identifier of an object; its column is unique.
///
/// Several in one entity are one uid together: objects differ in at least one of them. See `CompositeUID`.
///
/// Without a `@Key`, a property that is called `uid` or `id` is read from `id`, and any other from its name in the
/// store's key style. An object of a response that lacks it is refused, unless the request was made on one.
@attached(peer)
public macro UID() = #externalMacro(module: "EntityMacrosPlugin", type: "MarkerMacro")

/// The key path of a property in responses and requests, where it is not the property's name in the schema's key style.
///
/// `@Key("address.city")` is the key `city` of the object under `address`. A backslash before a dot makes it a part of the key:
/// `@Key(#"lamp\.enabled"#)` is the key `lamp.enabled`.
///
/// Two properties with the same written key are an error; one that is written and one that follows from a name are not
/// compared: both read the key.
@attached(peer)
public macro Key(_ key: String) = #externalMacro(module: "EntityMacrosPlugin", type: "MarkerMacro")

/// No two objects have the same value; several may have none.
@attached(peer)
public macro Unique() = #externalMacro(module: "EntityMacrosPlugin", type: "MarkerMacro")

/// Queries find objects by this attribute without reading all of them.
@attached(peer)
public macro Indexed() = #externalMacro(module: "EntityMacrosPlugin", type: "MarkerMacro")

/// An attribute whose value stays in the file until the property is read: a photo, a long text.
///
/// ```swift
/// @Lazy var photo: Data?
/// ```
/// Fetches, live queries, merges and saves of other properties do not read it. An object keeps the value that it has
/// read until the row has another one, or the object is refreshed. A query selects it, and asks whether it is `nil`.
/// The compiler refuses other conditions on it, and an order by it: the article "Large values" lists them. The marker
/// may be added and taken away: the file stays as it is.
///
/// It is no uid and not unique, indexed or searched, and no enum. A snapshot does not have it.
@attached(peer)
public macro Lazy() = #externalMacro(module: "EntityMacrosPlugin", type: "MarkerMacro")

/// The property, or the entity, had another name in an earlier version of the app: its values and local edits in a file
/// of that version stay.
///
/// ```swift
/// @Entity @Renamed(from: "Person") final class User {
///   @Renamed(from: "fullName", "title") var name: String  // "title" in the first version, "fullName" in the second
/// }
/// ```
/// The name is that of the property, not its key in responses.
///
/// - Parameters:
///   - name: A former name.
///   - others: Names that it had in other versions.
@attached(peer)
public macro Renamed(from name: String, _ others: String...) =
  #externalMacro(module: "EntityMacrosPlugin", type: "MarkerMacro")

/// A stored property that is no column, and observed as a column is: it needs an initial value, and each context's
/// object has its own.
///
/// ```swift
/// @Transient var isExpanded = false
/// ```
/// Setting an equal value tells no observer; a change in place, `append` for one, always tells. Neither is a change of
/// the object: `hasChanges` stays, and no save writes it. The value ends with the object, which a context holds only
/// while it has unsaved changes.
///
/// Not observed are a constant, a `lazy`, `weak` or `unowned` variable, one with `willSet` or `didSet`, and one with a
/// further attribute, as `@ObservationIgnored`.
@attached(peer)
public macro Transient() = #externalMacro(module: "EntityMacrosPlugin", type: "MarkerMacro")

/// A relationship whose other side is named there, or not at all: an entity, its Optional, or an array of entities.
///
/// ```swift
/// @Relationship(ordered: true) var tags: [Tag]  // keeps the order of the array, and that of responses
/// ```
///
/// A many-to-many relationship to an entity that has a relationship to one back says with `nil` that it has no other side:
///
/// ```swift
/// @Entity final class User {
///   @Relationship(inverse: nil) var favorites: [Post]  // not the posts whose author is the user
/// }
/// @Entity final class Post { var author: User? }
/// ```
/// Without it a store refuses such a pair when it is opened: both may be meant as one relationship.
///
/// - Parameters:
///   - inverse: `nil`; to name the other side takes a key path.
///   - onDelete: The rule for the targets when the object is deleted.
///   - ordered: Whether an array has an order of its own. Without it the order is that in which the store got to know the
///     objects.
@attached(peer)
public macro Relationship(
  inverse: _NoInverse? = nil, onDelete: DeleteRule = .nullify, ordered: Bool = false
) = #externalMacro(module: "EntityMacrosPlugin", type: "MarkerMacro")

/// A relationship to many that is read in the order of an attribute of its objects.
///
/// ```swift
/// @Relationship(sortedBy: \Tag.name) var tags: [Tag]
/// ```
///
/// - Parameters:
///   - inverse: `nil`; to name the other side takes a key path.
///   - onDelete: The rule for the targets when the object is deleted.
///   - key: The attribute. Objects with equal values are in the order in which the store got to know them.
///   - order: Whether the least or the greatest value comes first.
@attached(peer)
public macro Relationship<Target: ManagedEntity, Key>(
  inverse: _NoInverse? = nil, onDelete: DeleteRule = .nullify, sortedBy key: KeyPath<Target, Key>,
  order: SortDirection = .ascending
) = #externalMacro(module: "EntityMacrosPlugin", type: "MarkerMacro")

/// The other side of a relationship, named on one side only: the property of the target that holds this entity, its
/// Optional or an array of it.
///
/// ```swift
/// @Entity final class Tag {
///   @Relationship(inverse: \Post.tags) var posts: [Post]  // and in Post a plain `var tags: [Tag]`
/// }
/// ```
///
/// An Optional that names an inverse is one side of a one-to-one relationship. The column is that of the inverse;
/// setting either side sets the other, and frees the former partners:
///
/// ```swift
/// @Entity final class Person {
///   @Relationship(inverse: \Passport.holder) var passport: Passport?  // and in Passport a plain `var holder: Person?`
/// }
/// ```
///
/// Named on both sides it is a circle to the compiler, which says so ("circular reference") at one of them.
///
/// - Parameters:
///   - onDelete: The rule for the targets when the object is deleted.
///   - ordered: Whether the array has an order of its own.
@attached(peer)
public macro Relationship<Target: ManagedEntity, Value>(
  inverse: KeyPath<Target, Value>, onDelete: DeleteRule = .nullify, ordered: Bool = false
) = #externalMacro(module: "EntityMacrosPlugin", type: "MarkerMacro")

/// The other side of a relationship to many, read in the order of an attribute of its objects.
///
/// ```swift
/// @Relationship(inverse: \Comment.post, sortedBy: \Comment.createdAt, order: .descending) var comments: [Comment]
/// ```
@attached(peer)
public macro Relationship<Target: ManagedEntity, Value, Key>(
  inverse: KeyPath<Target, Value>, onDelete: DeleteRule = .nullify, sortedBy key: KeyPath<Target, Key>,
  order: SortDirection = .ascending
) = #externalMacro(module: "EntityMacrosPlugin", type: "MarkerMacro")

/// Has no values: the only inverse of its Optional is `nil`.
public enum _NoInverse: Sendable {}

// SwiftData's way to write it, which is refused with a fix-it.

/// Not one of ours: say `onDelete`.
@attached(peer)
public macro Relationship(inverse: AnyKeyPath? = nil, deleteRule: DeleteRule) =
  #externalMacro(module: "EntityMacrosPlugin", type: "MarkerMacro")

/// Not one of ours: say `onDelete`.
@attached(peer)
public macro Relationship(deleteRule: DeleteRule, inverse: AnyKeyPath) =
  #externalMacro(module: "EntityMacrosPlugin", type: "MarkerMacro")

/// Not one of ours: say `onDelete`.
@attached(peer)
public macro Relationship(inverse: AnyKeyPath? = nil, _ rule: DeleteRule) =
  #externalMacro(module: "EntityMacrosPlugin", type: "MarkerMacro")

/// Says how the server's value becomes the value of an attribute, and back.
///
/// - Parameter transformer: An `AttributeTransformer` whose `Value` is the property's type, or the type in its
///   Optional.
@attached(peer)
public macro Transformed(by transformer: Any.Type) =
  #externalMacro(
    module: "EntityMacrosPlugin", type: "MarkerMacro")
