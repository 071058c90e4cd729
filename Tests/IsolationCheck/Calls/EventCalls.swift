import EntityRequests

extension Scene {
  func checkEvents(on actor: isolated any Actor) async throws {
    try Client.install(client, replacing: true)
    await hold(on: actor)
    defer { letGo() }
    let file = "RequestEvents.swift "
    var name = file + "next()"
    do {
      var events = Word.sending(.get).events.makeAsyncIterator()
      while try await events.next() != nil {}
      saw(name, nil, on: actor)
    } catch { saw(name, error, on: actor) }
    name = file + "next(isolation:)"
    do {
      var events = Word.sending(.get).events.makeAsyncIterator()
      while try await events.next(isolation: actor) != nil {}
      saw(name, nil, on: actor)
    } catch { saw(name, error, on: actor) }
    do {
      for try await _ in Word.sending(.get).events {}
      saw(name, nil, on: actor)
    } catch { saw(name, error, on: actor) }
  }
}
