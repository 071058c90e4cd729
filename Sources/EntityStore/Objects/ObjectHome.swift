/// The facts that the objects of one entity share in a context.
@usableFromInline final class ObjectHome {
  let model: EntityModel
  /// The context of a unit of work or of a read. It lets go of its objects and homes when its closure ends, so no
  /// reference cycle remains.
  @usableFromInline let unit: EntityContext?
  /// The main context or a child of it. The store or a draft holds that context.
  @usableFromInline weak var main: EntityContext?

  init(_ model: EntityModel, _ context: EntityContext?) {
    self.model = model
    let isOfMain = context?.kind == .main
    unit = isOfMain ? nil : context
    if isOfMain { main = context }
  }

  @inlinable var context: EntityContext? { unit ?? main }
}
