# shellcheck shell=bash disable=SC2154 # scripts/fuzz sets root, scratch and seconds
# Whether the fuzzers find what is wrong: sourced by scripts/fuzz. Each line plants one bug: the target that must find
# it, the file below Sources/EntityRequests, what to write there in place of what, and what the bug is.
plants=(
  'json|JSON/JSONScanner+Strings.swift|if unit & 0xFC00 == 0xDC00 {|if unit == 0xDC00 {|a lone low surrogate is accepted'
  'json|JSON/JSONScanner+UTF8.swift|case 0xED: (following, high) = (2, 0x9F)|case 0xED: following = 2|surrogates are taken for UTF-8'
  'json|JSON/JSONText.swift|0x10000 + (scalar & 0x3FF) << 10|0x10000 + (scalar & 0x1FF) << 10|a surrogate pair loses a bit'
  'json|JSON/JSONNumber.swift|guard lexeme.count - start <= 18 else|guard lexeme.count - start <= 19 else|integers overflow'
  'json|JSON/JSONNumber+Double.swift|digits <= 1 << 53|digits <= 1 << 55|doubles are rounded twice'
  'json|JSON/JSONPosition.swift|byte in byte & JSONVector.all(0xC0) .!= JSONVector.all(0x80) }|byte in byte .< JSONVector.all(0x80) }|columns count bytes of ASCII only'
  'json|JSON/JSONParser+Runs.swift|text: while nodesLeft > 0 {|text: while nodesLeft > .min {|values of like objects do not count'
  'views|JSON/JSONDocument.swift|if candidate.isEqual(to: key) { found|if found == nil, candidate.isEqual(to: key) { found|of equal keys the first counts'
  'views|JSON/Decoding/JSONDocument+Fields.swift|if isKey(at: other, equalTo: name) { return false }|if isKey(at: other, equalTo: name) { break }|a key that stands twice is taken for two'
  'pieces|JSON/JSONPosition.swift|if previous == 0x0D, first == 0x0A { line -= 1 }||a CR LF in two pieces is two lines'
  'pieces|JSON/JSONParser+Pieces.swift|moved.token = token - place|moved.token = token|a string that goes on is taken from elsewhere'
  'decode|JSON/Decoding/JSONDocument+Scalars.swift|? JSONNumber.int64(lexeme).flatMap { I(exactly: $0) }|? JSONNumber.int64(lexeme).flatMap { I(truncatingIfNeeded: $0) }|integers that do not fit lose bits'
)

prove() {
  local plant target file old new bug copy=$scratch/copy
  mkdir -p "$copy" "$scratch/plain"
  # No seeds: what finds the bugs must be the fuzzer. A head serves the targets that have one.
  printf '{"a":[1,"b",-2.5e3]}' >"$scratch/plain/json"
  printf '\x0a\x02\x05\n[{"a":1},-2.5e3]' >"$scratch/plain/pieces"
  printf '\x0225' >"$scratch/plain/decode"
  printf 'a\n{"a":1,"b":-2.5e3}' >"$scratch/plain/views"
  for plant in "${plants[@]}"; do
    IFS='|' read -r target file old new bug <<<"$plant"
    [[ " $* " == *" $target "* ]] || continue
    rm -rf "$copy" "$scratch/corpus"
    mkdir -p "$copy/Sources" "$scratch/corpus"
    cp -R "$root/Sources/EntityRequests" "$root/Sources/EntityStore" "$copy/Sources/"
    cp -R "$root/Fuzzing" "$copy/"
    python3 - "$copy/Sources/EntityRequests/$file" "$old" "$new" <<'PYTHON' || stop "this bug can't be planted any more: $bug"
import pathlib, sys
path, old, new = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
text = path.read_text()
if text.count(old) != 1:
    sys.exit(1)
path.write_text(text.replace(old, new))
PYTHON
    build "$copy" "$scratch/planted"
    cp "$scratch/plain/$target" "$scratch/corpus/"
    local began=$SECONDS
    if run "$scratch/planted" "$target" "$scratch/corpus" "$seconds" "$scratch/found" >"$scratch/log"; then
      stop "target $target did not find in $seconds seconds that $bug"
    fi
    grep -q '^FOUND\|ERROR: AddressSanitizer\|ERROR: libFuzzer' "$scratch/log" ||
      stop "target $target ended without a finding:"$'\n'"$(tail -n 20 "$scratch/log")"
    say "Found in $((SECONDS - began)) s that $bug"
    grep -m 1 '^FOUND' "$scratch/log" || true
  done
}
