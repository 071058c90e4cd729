import EntityMacros
import EntityStore
import Testing

// The code of the article "Undoing saves".

@Entity final class Recipe {
  @UID var uid: Int
  var title: String
}

@MainActor func edit(_ recipe: Recipe, in store: EntityStore) async throws {
  let undo = store.main.undoManager
  undo.limit = .saves(50)  // or .saves(50, bytes: 4_000_000)
  recipe.title = "Borscht"
  try await store.main.save()
  print(undo.canUndo)  // true; observable, for the menu
  try await undo.undo()  // the title is as before, in the object and in the file
  try await undo.redo()
}

@MainActor func undoOrTell(in store: EntityStore, _ show: ([AnyEntityID]) -> Void) async throws {
  do {
    try await store.main.undoManager.undo()
  } catch let error as StoreError where error.kind == .conflict || error.kind == .objectDeleted {
    show(error.objects)
    store.main.undoManager.removeAll()
  }
}

@MainActor struct UndoSampleTests {
  @Test(arguments: Place.usual)
  func `the article's code does what it says`(_ place: Place) async throws {
    let test = try TestStore(place, [Recipe.self])
    let recipe = try test.store.main.insert(Recipe.self)
    (recipe.uid, recipe.title) = (1, "Soup")
    try await test.store.main.save()
    try await edit(recipe, in: test.store)
    #expect(recipe.title == "Borscht")
    let id = recipe.entityID
    try await test.store.background { try $0.object(id)?.title = "Stew" }
    var shown: [AnyEntityID] = []
    try await undoOrTell(in: test.store) { shown = $0 }
    #expect(shown.map(\.entityName) == ["Recipe"])
    #expect(recipe.title == "Stew" && !test.store.main.undoManager.canUndo)
  }
}
