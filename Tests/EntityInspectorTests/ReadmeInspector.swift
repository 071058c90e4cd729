import EntityClient
import EntityInspector

// The block of the article InspectingAStore.

#if DEBUG
  func startInspector(_ client: Client) throws -> Inspector {
    let inspector = try Inspector.start(client)
    print(inspector.url)  // http://127.0.0.1:51234/?token=…
    return inspector
  }
#endif
