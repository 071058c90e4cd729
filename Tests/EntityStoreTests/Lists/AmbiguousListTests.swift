import EntityMacros
import EntityStore
import Foundation
import Testing

/// A list and a relationship to one back, of which neither names the other.
struct AmbiguousListTests {
  private static let refused: [(entities: [any ManagedEntity.Type], list: String, back: String)] = [
    ([Quill.self, Sheet.self], "Quill.sheets", "Sheet.quill"),
    ([Sheet.self, Quill.self], "Quill.sheets", "Sheet.quill"),
    ([RequiredQuill.self, RequiredSheet.self], "RequiredQuill.sheets", "RequiredSheet.quill"),
    ([QuillOfItself.self], "QuillOfItself.others", "QuillOfItself.next"),
    ([HalfNamedQuill.self, HalfNamedSheet.self], "HalfNamedQuill.drafts", "HalfNamedSheet.editor"),
  ]

  @Test(arguments: 0..<refused.count)
  func `ambiguous lists are refused with both spellings`(_ number: Int) throws {
    let (entities, list, back) = Self.refused[number]
    let folder = try TemporaryFolder()
    let error = #expect(throws: StoreError.self) { try EntityStore(.file(folder.file), entities: entities) }
    let message = try #require(error).message
    #expect(error?.kind == .invalidSchema)
    #expect(message.hasPrefix("'\(list)' and '\(back)' may be one relationship or two."), "\(message)")
    #expect(message.contains("`@Relationship(inverse: \\\(back))`"), "\(message)")
    #expect(message.contains("`@Relationship(inverse: nil)`"), "\(message)")
    #expect(!FileManager.default.fileExists(atPath: folder.file.path))
  }

  @Test(arguments: Place.usual)
  @MainActor func `a named inverse makes the list that of the objects that hold the object`(_ place: Place) async throws
  {
    let test = try TestStore(place, [NamedQuill.self, NamedSheet.self])
    let quill = try test.store.main.insert(NamedQuill.self)
    let sheet = try test.store.main.insert(NamedSheet.self)
    sheet.quill = quill
    #expect(quill.sheets == [sheet])
    try await test.store.main.save()
    #expect(quill.sheets == [sheet])
  }

  /// Each on a file of its own kind of declaration: by the macro, and by hand.
  @Test(arguments: Place.usual)
  @MainActor func `relationships of their own do not know of each other`(_ place: Place) async throws {
    let test = try TestStore(place, [LooseQuill.self, LooseSheet.self])
    let quill = try test.store.main.insert(LooseQuill.self)
    let other = try test.store.main.insert(LooseQuill.self)
    let sheet = try test.store.main.insert(LooseSheet.self)
    sheet.quill = quill
    other.sheets = [sheet]
    try await test.store.main.save()
    #expect(quill.sheets.isEmpty)
    #expect(other.sheets == [sheet])
    #expect(sheet.quill === quill)
  }

  /// The list beside one that names the relationship back, a list that another one names, and lists both ways are clear.
  @Test(arguments: Place.usual)
  @MainActor func `lists that can mean only one relationship need no inverse`(_ place: Place) async throws {
    let test = try TestStore(place, [ClearQuill.self, ClearSheet.self])
    let quill = try test.store.main.insert(ClearQuill.self)
    let sheet = try test.store.main.insert(ClearSheet.self)
    sheet.quill = quill
    quill.favorites = [sheet]
    sheet.readers = [quill]
    try await test.store.main.save()
    #expect(quill.sheets == [sheet])
    #expect(quill.favorites == [sheet])
    #expect(quill.read == [sheet])
  }
}

@Entity final class Quill {
  var sheets: [Sheet]
}

@Entity final class Sheet {
  var quill: Quill?
}

@Entity final class RequiredQuill {
  @Relationship(onDelete: .cascade, ordered: true) var sheets: [RequiredSheet]
}

@Entity final class RequiredSheet {
  var quill: RequiredQuill
}

@Entity final class QuillOfItself {
  var next: QuillOfItself?
  var others: [QuillOfItself]
}

/// One of the two relationships back has its list, and the other one has none.
@Entity final class HalfNamedQuill {
  @Relationship(inverse: \HalfNamedSheet.author) var sheets: [HalfNamedSheet]
  var drafts: [HalfNamedSheet]
}

@Entity final class HalfNamedSheet {
  var author: HalfNamedQuill?
  var editor: HalfNamedQuill?
}

@Entity final class NamedQuill {
  @Relationship(inverse: \NamedSheet.quill) var sheets: [NamedSheet]
}

@Entity final class NamedSheet {
  var quill: NamedQuill?
}

/// Written by hand.
final class LooseQuill: ManagedEntity {
  struct Columns: Sendable {
    let sheets = Column<LooseQuill, [LooseSheet]>(0, "sheets")
  }

  static let columns = Columns()
  static var properties: [PropertyDescriptor] { [.property(\LooseQuill.sheets, columns.sheets).withoutInverse()] }
  let _$state: ObjectState
  private var _$$sheets = Slot<[LooseSheet]>()

  init(_ state: ObjectState) { _$state = state }

  var sheets: [LooseSheet] {
    get { _get(\.sheets, Self.columns.sheets, _$$sheets) }
    set { _set(\.sheets, Self.columns.sheets, _$$sheets, newValue) { _$$sheets = $0 } }
  }

  func _$load(_ row: RowReader) { _load(row, Self.columns.sheets) { _$$sheets = $0 } }
  func _$store(into row: inout RowValues) { _store(&row, Self.columns.sheets, _$$sheets) }
}

@Entity final class LooseSheet {
  var quill: LooseQuill?
  @Relationship(inverse: nil) var others: [LooseSheet]
  var next: LooseSheet?
}

@Entity final class ClearQuill {
  @Relationship(inverse: \ClearSheet.quill) var sheets: [ClearSheet]
  var favorites: [ClearSheet]
  @Relationship(inverse: \ClearSheet.readers) var read: [ClearSheet]
}

@Entity final class ClearSheet {
  var quill: ClearQuill
  var readers: [ClearQuill]
}
