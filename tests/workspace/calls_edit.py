"""Calls of edit_file: (name, tool, arguments[, setup]), by session."""

EDIT = "edit_file"


def edit(name, path, *pairs, **more):
    edits = [{"oldText": old, "newText": new} for old, new in pairs]
    return (f"edit {name}", EDIT, {"path": f"<tree>/edit/{path}", "edits": edits, **more})


def exact():
    yield edit("a word", "plain.txt", ("beta", "BETA"))
    yield edit("a line", "plain.txt", ("beta\n", "BETA\n"))
    yield edit("the first line", "plain.txt", ("alpha\n", "ALPHA\n"))
    yield edit("the last line", "plain.txt", ("gamma\n", "delta\n"))
    yield edit("the whole", "plain.txt", ("alpha\nbeta\ngamma\n", "x\n"))
    yield edit("the whole away", "plain.txt", ("alpha\nbeta\ngamma\n", ""))
    yield edit("a line away", "plain.txt", ("beta\n", ""))
    yield edit("a line in", "plain.txt", ("beta\n", "beta\nnew\n"))
    yield edit("many lines in", "plain.txt", ("beta\n", "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n"))
    yield edit("the last newline away", "plain.txt", ("gamma\n", "gamma"))
    yield edit("over lines", "plain.txt", ("pha\nbe", "PHA\nBE"))
    yield edit("to the same", "plain.txt", ("beta", "beta"))
    yield edit("nothing", "plain.txt")
    yield edit("several", "plain.txt", ("alpha", "1"), ("gamma", "3"))
    yield edit("several, one after another", "plain.txt", ("alpha", "beta2"), ("beta2", "x"))
    yield edit("several, back again", "plain.txt", ("alpha", "x"), ("x", "alpha"))
    yield edit("several, far apart", "long.txt", ("line 3\n", "three\n"), ("line 150\n", "150\n"))
    yield edit("several, near", "long.txt", ("line 50\n", "fifty\n"), ("line 58\n", "58\n"))
    yield edit("several, just apart", "long.txt", ("line 50\n", "fifty\n"), ("line 59\n", "59\n"))
    yield edit("several, last misses", "plain.txt", ("alpha", "x"), ("nowhere", "y"))
    yield edit("many", "long.txt", *[(f"line {n}0\n", f"row {n}0\n") for n in range(1, 20)])
    yield edit("at the end without newline", "end.txt", ("last without end", "the end"))
    yield edit("newline at the end", "end.txt", ("without end", "with end\n"))
    yield edit("before an end without newline", "end.txt", ("first", "FIRST"))
    yield edit("repeated", "repeat.txt", ("x = 1", "x = 9"))
    yield edit("repeated lines", "repeat.txt", ("x = 1\ny = 2\n", "z = 3\n"))
    yield edit("repeated twice", "repeat.txt", ("x = 1", "x = 9"), ("x = 1", "x = 8"))
    yield edit("repeated, dry", "repeat.txt", ("x = 1", "x = 9"), dryRun=True)
    yield edit("repeated made unique", "repeat.txt", ("y = 2\nx = 1\ny", "Y = 2\nX = 1\nY"))
    yield edit("overlapping", "blank.txt", ("\n\n", "\n"))
    yield edit("empty old", "plain.txt", ("", "start\n"))
    yield edit("empty old in an empty file", "empty.txt", ("", "start\n"))
    yield edit("empty old and new", "plain.txt", ("", ""))
    yield edit("in an empty file", "empty.txt", ("x", "y"))
    yield edit("newline in an empty file", "empty.txt", ("\n", "y"))


def special():
    for new in ("$&", "$$", "$1", "$`", "$'", "$<x>", "\\1", "a\\nb"):
        yield edit(f"to {new}", "dollar.txt", ("5", new))
        yield edit(f"to {new}, flexibly", "dollar.txt", ("  price: 5", new))
    yield edit("from a pattern", "dollar.txt", ("p.ice", "x"))
    yield edit("ticks", "ticks.md", ("code", "other"))
    yield edit("ticks in", "plain.txt", ("beta", "```\nbeta\n```"))
    yield edit("four ticks", "ticks4.md", ("more", "less"))
    yield edit("many ticks in", "plain.txt", ("beta", "`" * 9))
    yield edit("Unicode", "unicode.txt", ("café", "thé"), ("日本", "中国"), ("🏔️", "⛰"))
    yield edit("Unicode part", "unicode.txt", ("ü", "ue"))
    yield edit("decomposed", "unicode.txt", ("cafe\u0301", "x"))
    yield edit("half of an emoji", "unicode.txt", ("\ufe0f", ""))
    yield edit("mark", "bom.txt", ("one", "ONE"))
    yield edit("the mark itself", "bom.txt", ("\ufeffone", "ONE"))
    yield edit("mark, flexibly", "bom.txt", ("  one", "ONE"))
    yield edit("NUL in", "plain.txt", ("beta", "be\u0000ta"))
    yield edit("Latin-1", "latin1.txt", ("second", "SECOND"))
    yield edit("binary", "binary.bin", ("alpha", "ALPHA"))
    yield edit("no-break space, flexibly", "plain.txt", ("\u00a0beta\u00a0", "x"))
    yield edit("control characters", "plain.txt", ("beta", "\u001b[31mred\u0007"))


def line_ends():
    yield edit("CRLF word", "crlf.txt", ("two", "TWO"))
    yield edit("CRLF by LF", "crlf.txt", ("two\nthree\n", "2\n3\n"))
    yield edit("CRLF by CRLF", "crlf.txt", ("two\r\nthree\r\n", "2\r\n3\r\n"))
    yield edit("CRLF, dry", "crlf.txt", ("two", "TWO"), dryRun=True)
    yield edit("CRLF, lines in", "crlf.txt", ("two\n", "two\nnew\n"))
    yield edit("CRLF, misses", "crlf.txt", ("nowhere", "x"))
    yield edit("CRLF, flexibly", "crlf.txt", ("  two\n  three", "2\n3"))
    yield edit("CRLF, nothing", "crlf.txt")
    yield edit("CRLF into LF", "plain.txt", ("beta\r\n", "b\r\nc\r\n"))
    yield edit("mixed ends", "mixed.txt", ("two", "TWO"))
    yield edit("mixed ends over lines", "mixed.txt", ("one\ntwo\nthree", "1\n2\n3"))


def flexible():
    yield edit("less indented", "indent.py",
               ("if name.startswith(\".\"):\n    continue", "if not name:\n    return"))
    yield edit("more indented", "indent.py",
               ("            for name in os.listdir(top):\n                if name",
                "            for n in os.listdir(top):\n                if n"))
    yield edit("more indented lines", "indent.py",
               ("        for name in walk(\".\"):\n            print(name)",
                "        for name in walk(\".\"):\n            print(name)\n            more()"))
    yield edit("one line", "indent.py", ("  yield name", "yield name, 1"))
    yield edit("one line, exact after all", "indent.py", ("yield name", "yield name, 1"))
    yield edit("to more lines", "indent.py",
               (" continue", "if x:\n    continue\nelse:\n    pass"))
    yield edit("to fewer lines", "indent.py",
               ("  if name.startswith(\".\"):\n  continue\n  yield name", "  yield name"))
    yield edit("to nothing", "indent.py", ("\tcontinue", ""))
    yield edit("tabs by spaces", "tabs.ts",
               ("  for (const word of words) {\n    greet(word);\n  }",
                "  for (const w of words) {\n    greet(w);\n  }"))
    yield edit("tabs by tabs", "tabs.ts",
               ("\tfor (const word of words) {\n\t\tgreet(word);",
                "\twords.forEach((w) => {\n\t\tx;"))
    yield edit("trailing blanks", "trailing.txt", ("one\ntwo\nthree", "1\n2\n3"))
    yield edit("trailing blanks of old", "trailing.txt", ("three   ", "3"))
    yield edit("blank lines", "blank.txt", ("  a\n\n\n  b", "a\nb"))
    yield edit("blank line by blanks", "blank.txt", ("b\n\nc", "b\nc"))
    yield edit("first of several", "repeat.txt", ("  x = 1", "x = 9"))
    yield edit("with a last newline", "indent.py", ("   continue\n", "pass\n"))
    yield edit("with a first newline", "indent.py", ("\n   continue", "pass"))
    yield edit("inner blanks differ", "indent.py", ("for  name in os.listdir(top):", "x"))
    yield edit("JSON", "nested.json", ("\"b\": [\n  1,\n  2\n]", "\"b\": [\n  3\n]"))
    yield edit("JSON indented", "nested.json",
               ("      \"b\": [\n        1,\n        2\n      ]",
                "      \"b\": [\n        1,\n          2,\n    3\n      ]"))
    yield edit("at the end", "end.txt", ("  last without end  ", "  the end  "))
    yield edit("more lines than there are", "plain.txt", ("x\n" * 50, "y"))
    yield edit("only blanks", "plain.txt", ("   ", "x"))
    yield edit("only blanks in blank", "blank.txt", ("\t\t", "x"))


def misses():
    yield edit("a near miss", "indent.py", ("for name in os.listdr(top):", "x"))
    yield edit("a miss of case", "plain.txt", ("BETA", "x"))
    yield edit("a miss", "plain.txt", ("nowhere", "x"))
    yield edit("a miss of lines", "plain.txt", ("alpha\ngamma", "x"))
    yield edit("a miss, dry", "plain.txt", ("nowhere", "x"), dryRun=True)
    yield edit("a long miss", "plain.txt", ("nowhere " * 2000, "x"))
    yield edit("dry", "plain.txt", ("beta", "BETA"), dryRun=True)
    yield edit("not dry", "plain.txt", ("beta", "BETA"), dryRun=False)
    yield edit("dry with several", "plain.txt", ("alpha", "1"), ("beta", "2"), dryRun=True)
    yield edit("dry with nothing", "plain.txt", dryRun=True)


def places():
    pair = [{"oldText": "alpha", "newText": "ALPHA"}]
    for what, path in (("relative", "a.txt"), ("missing", "none.txt"), ("deep missing", "no/such"),
                       ("directory", "src"), ("outside", "<base>/outside/secret.txt"),
                       ("dots", "src/../a.txt"), ("dots out", "../outside/secret.txt"),
                       ("link", "links/rel"), ("absolute link", "links/abs"),
                       ("chain", "links/chain2"), ("link out", "links/out"),
                       ("dangling", "links/dangling"), ("loop", "links/loop"), ("nothing", ""),
                       ("under a file", "a.txt/x"), ("slash", "a.txt/"), ("NUL", "a\u0000b"),
                       ("windows", "C:\\a.txt"), ("home", "~/notes.txt")):
        yield (f"edit at {what}", EDIT, {"path": path, "edits": pair})
    for name in ("exec.sh", "private.txt", "odd.txt", "read-only.txt", "setuid.sh"):
        yield (f"edit mode {name}", EDIT, {"path": f"modes/{name}",
                                           "edits": [{"oldText": "mode", "newText": "was"}]})
    for name in ("a.txt", "outside.txt"):
        yield (f"edit hard link {name}", EDIT, {"path": f"hard/{name}", "edits": [
            {"oldText": "ed", "newText": "ED"}]})
    for name in ("new\nline.txt", "with space.txt", "quo\"te's.txt", "back\\slash.txt", "日本語.txt"):
        yield (f"edit name {name}", EDIT, {"path": f"<tree>/names/{name}", "edits": [
            {"oldText": "\n", "newText": "!\n"}]})


def bad():
    one = {"oldText": "beta", "newText": "x"}
    path = "<tree>/a.txt"
    for arguments in ({}, {"path": path}, {"edits": [one]}, {"path": 5, "edits": [one]},
                      {"path": path, "edits": one}, {"path": path, "edits": "x"},
                      {"path": path, "edits": None}, {"path": path, "edits": [5]},
                      {"path": path, "edits": [{}]}, {"path": path, "edits": [{"oldText": "beta"}]},
                      {"path": path, "edits": [{"newText": "x"}]},
                      {"path": path, "edits": [{"oldText": 5, "newText": "x"}]},
                      {"path": path, "edits": [{"oldText": "beta", "newText": None}]},
                      {"path": path, "edits": [one, 5]}, {"path": path, "edits": [one],
                                                          "dryRun": "yes"},
                      {"path": path, "edits": [one], "dryRun": None},
                      {"path": path, "edits": [one], "dryRun": 1},
                      {"path": path, "edits": [{"old_text": "beta", "new_text": "x"}]}):
        yield (f"edit with {arguments}", EDIT, arguments)
    yield ("edit extra argument", EDIT, {"path": path, "edits": [one], "options": {"x": 1}})
    yield ("edit extra argument in an edit", EDIT, {"path": path, "edits": [{**one, "count": 1}]})


CALLS = {"one": [*exact(), *special(), *line_ends(), *flexible(), *misses(), *places(), *bad()],
         "alias": [("alias edit", EDIT, {"path": "<base>/alias/a.txt", "edits": [
             {"oldText": "beta", "newText": "x"}]})]}
