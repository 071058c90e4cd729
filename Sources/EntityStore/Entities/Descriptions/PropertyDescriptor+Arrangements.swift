/// The order of a list in its declaration.
enum DeclaredArrangement: Sendable {
  case none, ordered
  case sorted(any ManagedEntity.Type, by: String, descending: Bool)
}

/// Which value comes first.
public enum SortDirection: Sendable {
  /// The least value.
  case ascending
  /// The greatest value.
  case descending
}

extension PropertyDescriptor {
  /// The same to-many relationship with an order of its own: the order of the array which it was set to, or of the list
  /// in a response.
  ///
  /// ```swift
  /// .property(\Post.tags, columns.tags).ordered()
  /// ```
  /// The store refuses a property that is no to-many relationship when it is opened.
  public func ordered(_ isOrdered: Bool = true) -> PropertyDescriptor {
    guard isOrdered else { return self }
    var descriptor = self
    descriptor.arrangements.append(.ordered)
    return descriptor
  }

  /// The same to-many relationship, read in the order of an attribute of its members. Members with equal values come in
  /// the order of their row ids.
  ///
  /// ```swift
  /// .property(\Post.comments, columns.comments, inverse: Comment.columns.post).sorted(by: Comment.columns.createdAt)
  /// ```
  /// The store refuses a property that is no to-many relationship to the entity of the column when it is opened.
  ///
  /// - Parameters:
  ///   - column: The attribute.
  ///   - order: Whether the least or the greatest value comes first. SQLite decides which value is greater: no value
  ///     counts as the least (https://sqlite.org/datatype3.html#sort_order).
  public func sorted<T: ManagedEntity, V>(by column: Column<T, V>, _ order: SortDirection = .ascending)
    -> PropertyDescriptor
  {
    var descriptor = self
    descriptor.arrangements.append(.sorted(T.self, by: column.name, descending: order == .descending))
    return descriptor
  }
}

extension DeclaredEntities {
  /// Resolves the orders of to-many relationships, and gives the entities with the links their columns.
  mutating func arrange(_ properties: inout [[PropertyModel]]) throws {
    for (number, type) in types.enumerated() {
      // Declared properties come before the store's own.
      for index in descriptors[number].indices {
        let property = properties[number][index]
        let name = "'\(type.entityName).\(property.name)'"
        guard let arrangement = descriptors[number][index].arrangements.first else { continue }
        guard descriptors[number][index].arrangements.count == 1 else {
          throw StoreError(
            .invalidSchema, "\(name) is said to have two orders: an order of its own, or that of an attribute, is one.")
        }
        guard let target = property.list?.target else {
          throw StoreError(.invalidSchema, "\(name) is said to have an order, and is no to-many relationship.")
        }
        switch arrangement {
        case .none: continue
        case .sorted(let entity, let key, let isDescending):
          guard numbers[ObjectIdentifier(entity)] == target,
            let key = properties[target].first(where: { $0.name == key }), case .attribute = key.kind
          else {
            throw StoreError(
              .invalidSchema,
              "\(name) is said to be sorted by '\(entity.entityName).\(key)', which is no attribute of its objects.")
          }
          properties[number][index].arrangement = .sorted(by: key.index, descending: isDescending)
          if case .toMany(_, let inverse, _) = property.kind { properties[target][inverse].sortKey = key.index }
        case .ordered:
          guard let list = property.list else { continue }
          if list.member == nil {
            let position = properties[target].count
            guard position < ColumnMask.capacity else {
              throw StoreError(
                .invalidSchema,
                "'\(types[target].entityName)' has \(position) properties; the order of \(name) needs one more than there "
                  + "can be.")
            }
            properties[target].append(.position(position, of: properties[target][list.owner]))
            properties[number][index].arrangement = .ordered(position: position)
          } else {
            properties[number][index].arrangement = .ordered(
              position: links[list.entity - types.count].order(list.owner))
          }
        }
      }
    }
  }
}
