/// A code by which the owner of a key knows that a message is unchanged (RFC 2104), with SHA-256.
package enum HMACSHA256 {
  package static func code(of message: some Sequence<UInt8>, key: some Sequence<UInt8>) -> [UInt8] {
    var block = Array(key)
    if block.count > 64 {
      var hash = SHA256()
      hash.add(block)
      block = hash.bytes()
    }
    block += Array(repeating: 0, count: 64 - block.count)
    var inner = SHA256()
    inner.add(block.map { $0 ^ 0x36 })
    inner.add(message)
    var outer = SHA256()
    outer.add(block.map { $0 ^ 0x5C })
    outer.add(inner.bytes())
    return outer.bytes()
  }
}
