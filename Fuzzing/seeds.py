#!/usr/bin/env python3
"""Writes the tricky inputs that the fuzzers start from: seeds.py TARGET FOLDER"""
import itertools
import pathlib
import sys

target, folder = sys.argv[1], pathlib.Path(sys.argv[2])

# Bytes that RFC 3629 §4 leaves out, and its borders: overlong forms, surrogates, above U+10FFFF, cut short.
utf8 = [
    b"\x7f", b"\x80", b"\xbf", b"\xc0\x80", b"\xc1\xbf", b"\xc2\x80", b"\xc2", b"\xdf\xbf", b"\xe0\x80\x80", b"\xe0\x9f\xbf",
    b"\xe0\xa0\x80", b"\xe1\x80", b"\xed\x9f\xbf", b"\xed\xa0\x80", b"\xed\xbf\xbf", b"\xee\x80\x80", b"\xef\xbf\xbf",
    b"\xef\xbb\xbf", b"\xf0\x80\x80\x80", b"\xf0\x8f\xbf\xbf", b"\xf0\x90\x80\x80", b"\xf3\xbf\xbf\xbf", b"\xf4\x8f\xbf\xbf",
    b"\xf4\x90\x80\x80", b"\xf5\x80\x80\x80", b"\xff", b"\xfe", "aé漢🙂👩‍👩‍👧".encode(), "é".encode(),
]
escapes = [
    rb"\"\\\/\b\f\n\r\t", rb"\u0000", rb"\u001f\u0020", rb"\ud83d\ude00", rb"\uD83D\uDE00", rb"\ud83d", rb"\ude00",
    rb"\ud83d\ud83d", rb"\ude00\ud83d", rb"\ud83dx", rb"\ud83d\n", rb"\ud83d\u0041", rb"\udbff\udfff", rb"\ud7ff\ue000",
    rb"\u12", rb"\u12g4", rb"\x41", rb"\a", rb"\'", b"\\", rb"\U0041", rb"\u 041", rb"\u00e9\uFFFF\u2028",
]
numbers = """0 -0 0.0 -0.0 1 -1 00 01 -01 - + +1 .5 5. 1.e1 1e 1e+ 1e- 1e5 1E+05 1e-05 0e0 0e999999999999 1e400 -1e400 1e-400
1.7976931348623157e308 1.7976931348623159e308 4.9e-324 2.4e-324 9007199254740993 9223372036854775807 9223372036854775808
-9223372036854775808 -9223372036854775809 18446744073709551615 18446744073709551616 340282366920938463463374607431768211456
0.1 0.30000000000000004 5.0 0.5e1 50e-1 123456789012345678901234567890.123456789012345678901234567890 1e309 1e2147483648
1e-2147483649 0x10 1_000 NaN Infinity -Infinity 1e1.5 1.2.3 --1 1-1 0e 2e-0 100000000000000000000000000000000000000e-38
72057594037927936.5 6.02e23 1e23 8.5e22""".split()
whole = [
    b"", b" ", b"\n\r\t ", b"\0", b" \0", b"null", b"true", b"false", b"nul", b"True", b"nulll", b"null ", b"\xef\xbb\xbfnull",
    b"\xfe\xff\0n", b"\xff\xfen\0", b"\xef\xbb", b"null\0", b"[1]\0", b'"a\0b"', b"[]", b"{}", b"[", b"]", b"{", b"}", b"[]]",
    b"{}}", b"[[]", b"[,]", b"[1,]", b"[,1]", b"[1,,2]", b"[1 2]", b"{,}", b'{"a"}', b'{"a":}', b'{"a":1,}', b'{"a" 1}',
    b'{a:1}', b"{'a':1}", b'{1:1}', b'{"a":1 "b":2}', b'{"a":1;"b":2}', b'{"a"::1}', b'{"":""}', b'{"a":1,"a":2}',
    b'{"a.b":1,"a":{"b":2},"a":{"c":[]}}', b'{"\\u0061":1,"a":2}', b"[1]//c", b"/*c*/1", b"[1]#", b"1 2", b'"a" "b"',
    b'"', b'""', b'"a', b'a"', b'"a\nb"', b'"\x1f"', b'"\x7f"', b"\x0b1", b"\x0c1", b"\xa01", b"\xc2\xa01", b"[\v]",
    b"\xe2\x80\xa81", b'{"a":\r\n[1,\r\n2\r3\n]}', b'\r\n\r\r\n["a",\r\n x]', b"[true,false,null,0,\"\",[],{}]",
    b'{"a":[1,{"b":"c"},[]],"b":2}', b'{"a":{"b":[[],"x",1e5,{}]},"c":{"a":1}}', b'{"a":[1],"a":[2]}', b'{"a":1,"a":[2]}',
    b'{"a":{"b":[1]},"a":{"b":[2]}}', b'{"a":{"b":1},"a":{"b":[2],"c":0}}', b'{"a":[],"b":[1,2', b'{"x":"s","y":["t",null],"z":{"k":true},"w":[{"x":"n"}]}',
    b'{"x":1,"w":[{"x":"n"},{"y":[1]}]}', b'"2024-02-29T23:59:60Z"', b'"2024-02-29T12:00:00.123+01:00"', b'["AAEC","!"]',
    b' [ { "a" : [ 1 , 2.5e-3 ] , "b" : { } } ] ', b'{"users":[{"id":1,"name":"\\u00e9"},{"id":2,"name":null}],"next":null}',
    b"[" * 511 + b"]" * 511, b"[" * 512 + b"]" * 512, b"[" * 513 + b"]" * 513, b"[" * 2000, b'{"a":' * 512 + b"1" + b"}" * 512,
    b'[{"a":' * 257 + b"1" + b"}]" * 257, b"[" + b"1," * 500 + b"1]", b'["' + b"x" * 300 + b'"]', b"1" * 400, b"0." + b"3" * 800,
    b"1" + b"0" * 310, b"-" + b"9" * 39 + b"e-20", b"[1e" + b"9" * 30 + b"]", b'["' + "é".encode() * 100 + b'"]',
    b'["' + b"\\u00e9" * 60 + b'"]', b'{"' + b"k" * 100 + b'":{"' + "ü".encode() * 70 + b'":x}}', b"\t" * 70 + b"[" + b" " * 65 + b"]",
]
# A vector step must find what it looks for at each place of a word.
places = [
    b'["' + b"x" * before + wanted + b"y" * after + b'"]'
    for before, after in itertools.product((0, 1, 7, 8, 15, 16, 31, 32, 63), (0, 9, 40))
    for wanted in (b"\\n", b"\\", b'"', b"\x1f", b"\xc3\xa9", b"\xc3", b"\0", b"\xed\xa0\x80", b"\\ud83d")
]
texts = (
    whole + places + [number.encode() for number in numbers] + [b"[" + number.encode() + b",1]" for number in numbers]
    + [b'"' + part + b'"' for part in utf8 + escapes] + [b'{"' + part + b'":"x' + part + b'"}' for part in utf8 + escapes]
)
# The bytes before the text in a target's input.
heads = {
    "json": [b""],
    "views": [b"a.b\n", b"users\n"],
    "pieces": [b"\x08\n", b"\x01\x01users\n", b"\x0b\x01\x02\x09\n", b"\x02\x03\x05a\n", b"\x01\x07a.b\n"],
    "decode": [b"\x00", b"\x01", b"\x02", b"\x03"],
    "rows": [b""],
}[target]
if target == "rows":
    # Few columns and few rows, then all of them, with cells of every kind.
    texts = [
        bytes([wide, columns, rows]) + bytes(start + step * index & 255 for index in range(600))
        for wide, columns in ((0, 0), (0, 3), (0, 7), (7, 119)) for rows in (0, 1, 5)
        for start, step in ((0, 0), (0, 1), (2, 0), (5, 3), (7, 5), (255, 251))
    ]

folder.mkdir(parents=True, exist_ok=True)
for index, text in enumerate(texts):
    head = heads[index % len(heads)]
    (folder / f"seed-{index:04}").write_bytes(head + text)
