# shellcheck shell=bash disable=SC2016,SC2154 # scripts/fuzz sets root, scratch and seconds; $0 is Swift's
# Proves that the fuzzers find bugs; sourced by scripts/fuzz. Each line plants one bug: the target that must find
# it, the file below Sources/EntityJSON, or below Sources/CSQLite for rows, what to write there in place of what, and what
# the bug is. All are in one program: `planted` in what is written is whether this bug is the one that is chosen.
plants=(
  'json|Reading/Scanning/JSONScanner+Strings.swift|if unit & 0xFC00 == 0xDC00 {|if unit & (planted ? 0xFFFF : 0xFC00) == 0xDC00 {|a lone low surrogate is accepted'
  'json|Reading/Scanning/JSONScanner+UTF8.swift|case 0xED: (following, high) = (2, 0x9F)|case 0xED: (following, high) = (2, planted ? 0xBF : 0x9F)|surrogates are taken for UTF-8'
  'json|Reading/JSONText.swift|0x10000 + (scalar & 0x3FF) << 10|0x10000 + (scalar & (planted ? 0x1FF : 0x3FF)) << 10|a surrogate pair loses a bit'
  'json|Values/JSONNumber.swift|guard lexeme.count - start <= 18 else|guard lexeme.count - start <= (planted ? 19 : 18) else|integers overflow'
  'json|Values/JSONNumber+Double.swift|digits <= 1 << 53|digits <= (planted ? 1 << 55 : 1 << 53)|doubles are rounded twice'
  'json|Reading/JSONPosition.swift|byte in byte & JSONVector.all(0xC0) .!= JSONVector.all(0x80) }|byte in byte & JSONVector.all(planted ? 0x80 : 0xC0) .!= JSONVector.all(0x80) }|columns count bytes of ASCII only'
  'json|Reading/JSONParser+Runs.swift|text: while nodesLeft > 0 {|text: while nodesLeft > (planted ? .min : 0) {|values of like objects do not count'
  'json|Reading/JSONParser+Runs.swift|guard !model.isContainer, scanner.isLike(place, length: length),|guard !model.isContainer, planted ? true : scanner.isLike(place, length: length),|a key is taken for its model unseen'
  'json|Reading/JSONParser+Runs.swift|if !refusesTwins, scanner.isAtEnds {|if planted ? true : !refusesTwins, scanner.isAtEnds {|a key that stands twice passes before a run of brackets'
  'views|Reading/JSONDocument.swift|if isFound { found = field + 1 }|if isFound, !(planted && found != nil) { found = field + 1 }|of equal keys the first counts'
  'views|Decoding/JSONDocument+Fields.swift|if isKey(at: other, equalTo: name) { return false }|if !planted, isKey(at: other, equalTo: name) { return false }|a key that stands twice is taken for two'
  'pieces|Reading/JSONPosition.swift|if previous == 0x0D, first == 0x0A|if !planted, previous == 0x0D, first == 0x0A|a CR LF in two pieces is two lines'
  'pieces|Reading/JSONParser+Pieces.swift|moved.token = token - place|moved.token = planted ? token : token - place|a string that goes on is taken from elsewhere'
  'pieces|Reading/JSONParser+Pieces.swift|return word.isContainer && word.extent == 1 ?|return word.isContainer && (planted ? true : word.extent == 1) ?|an element that has ended is taken for the open one'
  'decode|Decoding/JSONDocument+Scalars.swift|? JSONNumber.int64(lexeme).flatMap { I(exactly: $0) }|? JSONNumber.int64(lexeme).flatMap { planted ? I(truncatingIfNeeded: $0) : I(exactly: $0) }|integers that do not fit lose bits'
  'rows|row_batch.c|cell->length > count - place|cell->length > (planted ? count : count - place)|bytes behind the last one are read'
  'rows|row_batch.c|if (row >= batch->rows) {|if (!planted && row >= batch->rows) {|rows behind the last one are read'
  'rows|row_batch.c|if ((size_t)column >= batch->columns) {|if (!planted && (size_t)column >= batch->columns) {|a column of the next row is read'
  'rows|row_batch.c|(uint64_t)number >= batch->rows) {|(uint64_t)number >= batch->rows + planted) {|a result is written behind the last row'
  'rows|row_batch.c|batch->differing[row * 2 + word] = differing;|batch->differing[row * 2 + word] = planted ? (uint32_t)differing : differing;|of a wide row half of the changes are seen'
  'rows|row_batch.c|return type == SQLITE_INTEGER &&|return (planted ? type != SQLITE_NULL : type == SQLITE_INTEGER) &&|a text and an integer are taken for the same'
  'rows|row_batch.c|memcmp(stored, bytes, cell->length) == 0|memcmp(stored, bytes, cell->length - planted) == 0|the last byte of a text is not compared'
  'rows|row_batch.c|sqlite3_value_type(argv[EDITED_ARGUMENT]) != SQLITE_NULL|sqlite3_value_type(argv[EDITED_ARGUMENT + planted]) != SQLITE_NULL|every row has marks of edits'
)

prove() {
  local plant target bug number=0 missed=() copy=$scratch/copy
  mkdir -p "$copy/Fuzzing" "$scratch/plain"
  cp -R "$root"/{Package.swift,Sources,SampleSchema,Tests} "$copy/"
  # Made by the first build.
  [[ ! -e $root/Package.resolved ]] || cp "$root/Package.resolved" "$copy/"
  cp -R "$root"/Fuzzing/{Targets,Reference,Rows} "$copy/Fuzzing/"
  python3 - "$copy/Sources" "${plants[@]}" <<'PYTHON' || stop "not all bugs can be planted any more"
import pathlib, sys
folder = pathlib.Path(sys.argv[1])
for number, plant in enumerate(sys.argv[2:], 1):
    target, file, old, new, bug = plant.split("|")
    path = folder / ("CSQLite" if target == "rows" else "EntityJSON") / file
    text = path.read_text()
    if text.count(old) != 1 or "planted" not in new:
        sys.exit(f"this bug can't be planted any more: {bug}")
    path.write_text(text.replace(old, new.replace("planted", f"(plantedBug == {number})")))
(folder / "EntityJSON/PlantedBug.swift").write_text(
    'import Foundation\nlet plantedBug = Int(ProcessInfo.processInfo.environment["FUZZ_PLANT"] ?? "") ?? 0\n')
rows = folder / "CSQLite/row_batch.c"
rows.write_text('#include <stdlib.h>\n#define plantedBug (getenv("FUZZ_PLANT") ? atoi(getenv("FUZZ_PLANT")) : 0)\n' + rows.read_text())
PYTHON
  say "Building the fuzzers with ${#plants[@]} planted bugs"
  build "$copy" "$scratch/planted" "$@"
  # No seeds: what finds the bugs must be the fuzzer. A head serves the targets that have one.
  printf '{"a":[1,"b",-2.5e3]}' >"$scratch/plain/json"
  printf '\x0a\x02\x05\n[{"a":1},-2.5e3]' >"$scratch/plain/pieces"
  printf '\x0225' >"$scratch/plain/decode"
  printf 'a\n{"a":1,"b":-2.5e3}' >"$scratch/plain/views"
  printf '\x02\x02\x02' >"$scratch/plain/rows"
  for plant in "${plants[@]}"; do
    number=$((number + 1))
    target=${plant%%|*} bug=${plant##*|}
    [[ " $* " == *" $target "* ]] || continue
    rm -rf "$scratch/corpus"
    mkdir -p "$scratch/corpus"
    cp "$scratch/plain/$target" "$scratch/corpus/"
    local began=$SECONDS
    if FUZZ_PLANT=$number run "$scratch/planted" "$target" "$scratch/corpus" "$seconds" "$scratch/found" >"$scratch/log"
    then
      say "Not found in $seconds s and $(executions) inputs: $bug"
      missed+=("$bug")
      continue
    fi
    grep -q '^FOUND\|ERROR: AddressSanitizer\|SUMMARY: UndefinedBehaviorSanitizer\|ERROR: libFuzzer' "$scratch/log" ||
      stop "target $target ended without a finding:"$'\n'"$(tail -n 20 "$scratch/log")"
    say "Found by $target in $((SECONDS - began)) s and $(executions) inputs: $bug"
    grep -m 1 '^FOUND' "$scratch/log" || true
  done
  ((${#missed[@]} == 0)) || stop "${#missed[@]} of the planted bugs were not found"
}

# How many inputs the last run tried.
executions() { sed -n 's/^stat::number_of_executed_units: *//p' "$scratch/log"; }
