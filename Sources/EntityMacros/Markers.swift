public import EntityStore

/// The server's identifier of an object; its column is unique.
///
/// Several properties with this marker are one uid together: objects differ in at least one of them. See
/// `CompositeUID`.
///
/// Without a `@Key`, a property with the name `uid` or `id` is read from `id`, and any other property from its name in
/// the store's key style. An object of a response without the uid is refused, unless the request was about one object.
@attached(peer)
public macro UID() = #externalMacro(module: "EntityMacrosPlugin", type: "MarkerMacro")

/// The key path of a property in responses and requests, where it is not the property's name in the schema's key style.
///
/// `@Key("address.city")` is the key `city` of the object under `address`. A backslash before a dot makes the dot part
/// of the key: `@Key(#"lamp\.enabled"#)` is the key `lamp.enabled`.
///
/// In responses, brackets lead through arrays and maps: `@Key("authors[0].name")` is a value of the first element,
/// `@Key("edges[].node")` a list of the `node` of each element, and `@Key("members{}")` a list of the values of a map, whose
/// keys are the uids of its objects. Requests write no such path.
///
/// Two properties with the same written key are an error. A written key is not compared with a key that follows from a
/// name: both properties then read the key.
@attached(peer)
public macro Key(_ key: String) = #externalMacro(module: "EntityMacrosPlugin", type: "MarkerMacro")

/// No two objects have the same value; several may have no value.
@attached(peer)
public macro Unique() = #externalMacro(module: "EntityMacrosPlugin", type: "MarkerMacro")

/// Queries find objects by this attribute without reading all objects.
@attached(peer)
public macro Indexed() = #externalMacro(module: "EntityMacrosPlugin", type: "MarkerMacro")

/// An attribute whose value stays in the file until the property is read: a photo, a long text.
///
/// ```swift
/// @Lazy var photo: Data?
/// ```
/// Fetches, live queries, merges and saves of other properties do not read the value. An object keeps the value that it
/// has read until the row has another value, or the object is refreshed. A query can select the value, and can ask
/// whether it is `nil`. The compiler refuses other conditions on the attribute, and refuses to sort by it: the article
/// "Large values" lists them. You may add and remove the marker: the file stays as it is.
///
/// The attribute can't be a uid, unique, indexed, searched, or an enum. A snapshot does not have it.
@attached(peer)
public macro Lazy() = #externalMacro(module: "EntityMacrosPlugin", type: "MarkerMacro")

/// The property, or the entity, had another name in an earlier version of the app. Its values and local edits in a file
/// of that version are kept.
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

/// A stored property that is no column, but is observed like one. It needs an initial value, and the object of each
/// context has its own value.
///
/// ```swift
/// @Transient var isExpanded = false
/// ```
/// Setting an equal value does not tell observers. A change in place, such as `append`, always does. Neither changes
/// the object: `hasChanges` stays, and no save writes the value. The value ends with the object. A context holds the
/// object only while the object has unsaved changes.
///
/// These are not observed: a constant, a `lazy`, `weak` or `unowned` variable, a variable with `willSet` or `didSet`,
/// and a variable with a further attribute, such as `@ObservationIgnored`.
@attached(peer)
public macro Transient() = #externalMacro(module: "EntityMacrosPlugin", type: "MarkerMacro")

/// A relationship whose other side names it, or that has no other side: an entity, its Optional, or an array of
/// entities.
///
/// ```swift
/// @Relationship(ordered: true) var tags: [Tag]  // keeps the order of the array, and that of responses
/// ```
///
/// With `nil`, a many-to-many relationship says that it has no other side, although its target has a relationship back:
///
/// ```swift
/// @Entity final class User {
///   @Relationship(inverse: nil) var favorites: [Post]  // not the posts whose author is the user
/// }
/// @Entity final class Post { var author: User? }
/// ```
/// Without `nil`, a store refuses two such properties when it is opened: they may be meant as one relationship.
///
/// - Parameters:
///   - inverse: `nil`. The other side is named by a key path.
///   - onDelete: The rule for the targets when the object is deleted.
///   - ordered: Whether an array has an order of its own. Otherwise its order is that in which the store got the
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
///   - inverse: `nil`. The other side is named by a key path.
///   - onDelete: The rule for the targets when the object is deleted.
///   - key: The attribute. Objects with equal values are in the order in which the store got them.
///   - order: Whether the least or the greatest value comes first.
@attached(peer)
public macro Relationship<Target: ManagedEntity, Key>(
  inverse: _NoInverse? = nil, onDelete: DeleteRule = .nullify, sortedBy key: KeyPath<Target, Key>,
  order: SortDirection = .ascending
) = #externalMacro(module: "EntityMacrosPlugin", type: "MarkerMacro")

/// The other side of a relationship, which only one side names: the property of the target that holds this entity, its
/// Optional or an array of it.
///
/// ```swift
/// @Entity final class Tag {
///   @Relationship(inverse: \Post.tags) var posts: [Post]  // and in Post a plain `var tags: [Tag]`
/// }
/// ```
///
/// An Optional that names an inverse is one side of a one-to-one relationship. The column is the inverse's. Setting
/// either side sets the other, and frees the former partners:
///
/// ```swift
/// @Entity final class Person {
///   @Relationship(inverse: \Passport.holder) var passport: Passport?  // and in Passport a plain `var holder: Person?`
/// }
/// ```
///
/// If both sides name each other, that is a cycle to the compiler, which reports "circular reference" at one of them.
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

/// It has no values: the only inverse of its Optional is `nil`.
public enum _NoInverse: Sendable {}

// SwiftData's syntax, which is refused with a fix-it.

/// Not a macro of this package: use `onDelete`.
@attached(peer)
public macro Relationship(inverse: AnyKeyPath? = nil, deleteRule: DeleteRule) =
  #externalMacro(module: "EntityMacrosPlugin", type: "MarkerMacro")

/// Not a macro of this package: use `onDelete`.
@attached(peer)
public macro Relationship(deleteRule: DeleteRule, inverse: AnyKeyPath) =
  #externalMacro(module: "EntityMacrosPlugin", type: "MarkerMacro")

/// Not a macro of this package: use `onDelete`.
@attached(peer)
public macro Relationship(inverse: AnyKeyPath? = nil, _ rule: DeleteRule) =
  #externalMacro(module: "EntityMacrosPlugin", type: "MarkerMacro")

/// Defines how the server's value becomes the value of an attribute, and back.
///
/// - Parameter transformer: An `AttributeTransformer` whose `Value` is the property's type, or the type in its
///   Optional.
@attached(peer)
public macro Transformed(by transformer: Any.Type) =
  #externalMacro(
    module: "EntityMacrosPlugin", type: "MarkerMacro")
