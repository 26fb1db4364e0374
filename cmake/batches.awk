# Groups sources that can be compiled at once: no two of a group name the same thing for themselves.
#
#   awk -v most=LINES -f batches.awk FILE...     a line for each group: its files, with spaces between
#
# Two sources in one translation unit share one anonymous namespace. What a source names there is read off its
# lines (clang-format puts each such name on a line that begins in the first column), and a source goes into the
# first group with room that has none of its names. What this reading cannot see does not compile, and the source
# goes ALONE in its module's list.

FNR == 1 { files[++count] = FILENAME; inside = 0 }
{ lines[count]++ }
/^namespace \{$/ { inside = 1; next }
/^\}  \/\/ namespace$/ { inside = 0; next }
# A name that is used from elsewhere may be so in every source, but no other may give it to something else.
/^using [A-Za-z_:]*::[A-Za-z_0-9]+;/ { sub(/.*::/, "", $2); sub(/;.*/, "", $2); used[count] = used[count] " " $2; next }
/^#define / { sub(/\(.*/, "", $2); note($2); next }
!inside || !/^[A-Za-z_]/ || /^(using namespace|template|TEST|INSTANTIATE|TYPED|namespace)/ { next }
{
  text = $0
  if (text ~ /^using [A-Za-z_]+ =/) { note($2); next }
  if (match(text, /^(class|struct|union|enum class|enum) /)) {
    text = substr(text, RLENGTH + 1)
    match(text, /^[A-Za-z_0-9]+/)
    note(substr(text, 1, RLENGTH))
    next
  }
  sub(/[(={;[].*/, "", text)
  while (text ~ /<[^<>]*>/) sub(/<[^<>]*>/, "", text)
  if (match(text, /[A-Za-z_0-9]+ *$/)) {
    text = substr(text, RSTART)
    sub(/ *$/, "", text)
    note(text)
  }
}

function note(name) { names[count] = names[count] " " name }

END {
  for (i = 1; i <= count; i++) {
    n = split(names[i], own, " ")
    m = split(used[i], lent, " ")
    placed = 0
    for (g = 1; g <= groups && !placed; g++) {
      if (size[g] + lines[i] > most) continue
      free = 1
      for (k = 1; k <= n && free; k++) if ((g, own[k]) in taken || (g, own[k]) in shared) free = 0
      for (k = 1; k <= m && free; k++) if ((g, lent[k]) in taken) free = 0
      if (free) placed = g
    }
    if (!placed) placed = ++groups
    for (k = 1; k <= n; k++) taken[placed, own[k]] = 1
    for (k = 1; k <= m; k++) shared[placed, lent[k]] = 1
    size[placed] += lines[i]
    members[placed] = members[placed] (members[placed] == "" ? "" : " ") files[i]
  }
  for (g = 1; g <= groups; g++) print members[g]
}
