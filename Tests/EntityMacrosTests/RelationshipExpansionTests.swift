import Testing

/// The whole text that the macro writes for each kind of relationship.
@Suite struct RelationshipExpansionTests {
  @Test func `the kind of a relationship is left to its type`() {
    expectExpansion(
      """
      @Entity final class Post {
        var author: User
        @Key("labels") var tags: [Tag] = []
        @Relationship(inverse: \\Post.follows) var followers: [Post] = .init()
        @Relationship(onDelete: .cascade, ordered: true) var follows: [Post]
        @Relationship(ordered: false) var notes: [Note]
        @Relationship(sortedBy: \\Mark.time, order: .descending) var marks: [Mark]
      }
      """,
      #"""
      final class Post {
        var author: User {
          get {
            (_get(\.author, Self.columns.author, _$$author))
          }
          set {
            _set(\.author, Self.columns.author, _$$author, newValue) {
              _$$author = $0
            }
          }
          _modify {
            var lent = _EntityLentValue((_get(\.author, Self.columns.author, _$$author)))
            defer {
              if _takesChange(Self.columns.author, lent.value) {
                _set(\.author, Self.columns.author, _$$author, lent.value) {
                  _$$author = $0
                }
              }
            }
            yield &lent.value
          }
        }

        private nonisolated var _$$author = _EntitySlot<User>()
        var tags: [Tag] {
          get {
            (_get(\.tags, Self.columns.tags, _$$tags))
          }
          set {
            _set(\.tags, Self.columns.tags, _$$tags, newValue) {
              _$$tags = $0
            }
          }
          _modify {
            var lent = _EntityLentValue((_get(\.tags, Self.columns.tags, _$$tags)))
            defer {
              if _takesChange(Self.columns.tags, lent.value) {
                _set(\.tags, Self.columns.tags, _$$tags, lent.value) {
                  _$$tags = $0
                }
              }
            }
            yield &lent.value
          }
        }

        private nonisolated var _$$tags = _EntitySlot<[Tag]>()
        var followers: [Post] {
          get {
            (_get(\.followers, Self.columns.followers, _$$followers))
          }
          set {
            _set(\.followers, Self.columns.followers, _$$followers, newValue) {
              _$$followers = $0
            }
          }
          _modify {
            var lent = _EntityLentValue((_get(\.followers, Self.columns.followers, _$$followers)))
            defer {
              if _takesChange(Self.columns.followers, lent.value) {
                _set(\.followers, Self.columns.followers, _$$followers, lent.value) {
                  _$$followers = $0
                }
              }
            }
            yield &lent.value
          }
        }

        private nonisolated var _$$followers = _EntitySlot<[Post]>()
        var follows: [Post] {
          get {
            (_get(\.follows, Self.columns.follows, _$$follows))
          }
          set {
            _set(\.follows, Self.columns.follows, _$$follows, newValue) {
              _$$follows = $0
            }
          }
          _modify {
            var lent = _EntityLentValue((_get(\.follows, Self.columns.follows, _$$follows)))
            defer {
              if _takesChange(Self.columns.follows, lent.value) {
                _set(\.follows, Self.columns.follows, _$$follows, lent.value) {
                  _$$follows = $0
                }
              }
            }
            yield &lent.value
          }
        }

        private nonisolated var _$$follows = _EntitySlot<[Post]>()
        var notes: [Note] {
          get {
            (_get(\.notes, Self.columns.notes, _$$notes))
          }
          set {
            _set(\.notes, Self.columns.notes, _$$notes, newValue) {
              _$$notes = $0
            }
          }
          _modify {
            var lent = _EntityLentValue((_get(\.notes, Self.columns.notes, _$$notes)))
            defer {
              if _takesChange(Self.columns.notes, lent.value) {
                _set(\.notes, Self.columns.notes, _$$notes, lent.value) {
                  _$$notes = $0
                }
              }
            }
            yield &lent.value
          }
        }

        private nonisolated var _$$notes = _EntitySlot<[Note]>()
        var marks: [Mark] {
          get {
            (_get(\.marks, Self.columns.marks, _$$marks))
          }
          set {
            _set(\.marks, Self.columns.marks, _$$marks, newValue) {
              _$$marks = $0
            }
          }
          _modify {
            var lent = _EntityLentValue((_get(\.marks, Self.columns.marks, _$$marks)))
            defer {
              if _takesChange(Self.columns.marks, lent.value) {
                _set(\.marks, Self.columns.marks, _$$marks, lent.value) {
                  _$$marks = $0
                }
              }
            }
            yield &lent.value
          }
        }

        private nonisolated var _$$marks = _EntitySlot<[Mark]>()

        nonisolated struct Columns: Sendable {
          let author = _EntityColumn<Post, User>(0, "author")
          let tags = _EntityColumn<Post, [Tag]>(1, "tags")
          let followers = _EntityColumn<Post, [Post]>(2, "followers")
          let follows = _EntityColumn<Post, [Post]>(3, "follows")
          let notes = _EntityColumn<Post, [Note]>(4, "notes")
          let marks = _EntityColumn<Post, [Mark]>(5, "marks")
        }

        nonisolated static let columns: Columns = Columns()

        @available(*, deprecated, message: "the store reads 'properties' when it opens") nonisolated static var properties: [_EntityDescriptor] {
          let _$$followers = _InverseColumns<Post>().follows
          return [
            .property(\Post.author, columns.author),
            .property(\Post.tags, columns.tags, key: "labels").emptyByDefault(),
            .property(\Post.followers, columns.followers, inverse: _$$followers, onDelete: .nullify),
            .property(\Post.follows, columns.follows, onDelete: .cascade).ordered(),
            .property(\Post.notes, columns.notes, onDelete: .nullify),
            .property(\Post.marks, columns.marks, onDelete: .nullify).sorted(by: _InverseColumns<Mark>().time, .descending),
          ]
        }

        nonisolated let _$state: _EntityState

        nonisolated init(_ state: _EntityState) { _$state = state }

        nonisolated func _$load(_ row: _EntityRowReader) {
          _load(row, Self.columns.author) { _$$author = $0 }
          _load(row, Self.columns.tags) { _$$tags = $0 }
          _load(row, Self.columns.followers) { _$$followers = $0 }
          _load(row, Self.columns.follows) { _$$follows = $0 }
          _load(row, Self.columns.notes) { _$$notes = $0 }
          _load(row, Self.columns.marks) { _$$marks = $0 }
        }

        nonisolated func _$store(into row: inout _EntityRowValues) {
          _store(&row, Self.columns.author, _$$author)
          _store(&row, Self.columns.tags, _$$tags)
          _store(&row, Self.columns.followers, _$$followers)
          _store(&row, Self.columns.follows, _$$follows)
          _store(&row, Self.columns.notes, _$$notes)
          _store(&row, Self.columns.marks, _$$marks)
        }
      }

      nonisolated extension Post: ManagedEntity {}
      """#)
  }
}
