public import EntityStore

// The names under which expansions use the store's types. A project may have types of its own named `Column` or `Slot`,
// which hide the store's types there. And `EntityStore.Column` is a member of the class `EntityStore`, not of the
// module.

public typealias _EntityColumn = Column
public typealias _EntityCounterpart = Counterpart
public typealias _EntityDescriptor = PropertyDescriptor
public typealias _EntityLazyValue = LazyValue
public typealias _EntityLentValue = LentValue
public typealias _EntityObjectID = ObjectIdentifier
public typealias _EntityRowReader = RowReader
public typealias _EntityRowValues = RowValues
public typealias _EntitySlot = Slot
public typealias _EntityState = ObjectState
