import Adapters
import EntityRequests
import EntityTesting

extension Scene {
  func checkConformanceDifferences(on actor: isolated any Actor) async {
    let adapter: any RequestAdapter = mode == .throwing ? BufferingAdapter(fails: true) : CurlAdapter()
    let name = "ConformanceCase.swift check(_:except:within:)"
    do {
      try await ConformanceCase.all.first?.check(adapter, except: [])
      saw(name, nil, on: actor)
    } catch { saw(name, error, on: actor) }
  }
}
