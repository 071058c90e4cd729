import Foundation
import HungLookup

/// Returns once a lookup of the name hangs.
func lookupHangs(_ name: String) async {
  let hangs = Event()
  Thread.detachNewThread {
    hung_lookup_await(name)
    hangs.set()
  }
  await hangs.wait()
}
