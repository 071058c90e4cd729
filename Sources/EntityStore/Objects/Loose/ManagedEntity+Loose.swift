import Observation

extension ManagedEntity {
  /// Makes a loose object: an object in no context. `context.insert(_:)` inserts it, with the loose objects that it is
  /// linked to. A link to an object of a context does the same.
  ///
  /// ```swift
  /// let post = Post()
  /// post.title = "Hello"
  /// post.tags = [Tag()]                 // both sides change
  /// post.author = me                    // an object of a context: inserts the post and its tag there
  /// try store.main.insert(post)         // the same, where nothing leads to the context
  /// ```
  /// Queries, lists of a context and requests do not see a loose object. It is gone when its last reference is. An
  /// object that a link inserted stays inserted when the link is set to `nil`: `context.delete(_:)` takes it out. Use
  /// loose objects that are linked with one another in one isolation.
  public init() {
    self.init(LooseGraph.newState(Self.self))
    _$state.loose?.adopt(self)
    if !_$state.model.callbacks.isEmpty { awakeIfNew() }
  }
}

// The accessors of loose objects. The accessors of a context call them when the object has no context. An object whose
// store is gone stays as it is.

extension ManagedEntity {
  @usableFromInline @inline(never) func _setLoose<V: AttributeValue>(
    _ keyPath: @autoclosure () -> KeyPath<Self, V>, _ index: Int, _ value: V, isLazy: Bool = false,
    _ store: (Slot<V>) -> Void
  ) {
    let state = _$state
    guard let loose = state.loose else { return }
    let value = _isNormalized(index) ? _normal(index, value) : value
    let stored: StoredValue
    do {
      stored = try V._stored(value)
    } catch {
      loose.refuse(
        StoreError(
          .invalidValue,
          "'\(state.model.name).\(state.model.properties[index].name)' was set to a value that can't be stored, and stays as it was: \(error.reason)."
        ))
      return
    }
    guard !values(ColumnMask(index))[index].isIdentical(to: stored) else { return }
    guard state.pk != 0 else { return loose.refuse(ContextEditing.noRow(state.model)) }
    // In one step: an observer may set the attribute again when it hears of this change, and must not be overwritten.
    func change() -> Slot<V> {
      state.loose?.set(state, index, stored)
      let isKept = isLazy || V._form == .json
      state.keep(isKept ? KeptValue(stored: stored) : nil, index)
      return isKept ? Slot<V>() : Slot(V._asStored(value) ?? value)
    }
    if let registrar = state.registrar {
      registrar.withMutation(of: self, keyPath: keyPath()) { store(change()) }
    } else {
      store(change())
    }
    // The observer may have inserted the object.
    state.context?.endChange(of: self, state, index, isUndone: false)
  }

  @usableFromInline @inline(never) func _setLooseLink<T: ManagedEntity>(_ index: Int, _ value: T?) {
    guard _$state.loose != nil else { return }
    LooseGraph.link(self, index, to: value)
  }

  func _looseMembers<T: ManagedEntity>(_ keyPath: @autoclosure () -> KeyPath<Self, [T]>, _ index: Int) -> [T] {
    guard let loose = _$state.loose else { return [] }
    loose.registrar(of: _$state).access(self, keyPath: keyPath())
    return loose.members(of: _$state, index, T.self)
  }

  func _setLooseMembers<T: ManagedEntity>(_ index: Int, _ members: [T]) {
    guard _$state.loose != nil else { return }
    LooseGraph.setList(self, index, members)
  }
}
