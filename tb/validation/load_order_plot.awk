# Draws the figures of load_order_study.sh (workload, bound, IPC, loads in flight in an SM): IPC relative to the order of
# the PTX, and loads in flight. Lines differ by dashes and marks, not by colour, and are labelled at their ends.
function x_of(bound) { return place[bound] * step }
function mark_at(kind, x, y) {
  if (kind == 0) return sprintf("<circle cx='%.1f' cy='%.1f' r='3.2' class='full'/>", x, y)
  if (kind == 1) return sprintf("<rect x='%.1f' y='%.1f' width='6' height='6' class='full'/>", x - 3, y - 3)
  if (kind == 2) return sprintf("<circle cx='%.1f' cy='%.1f' r='3.2' class='open'/>", x, y)
  if (kind == 3) return sprintf("<rect x='%.1f' y='%.1f' width='6' height='6' class='open'/>", x - 3, y - 3)
  if (kind == 4) return sprintf("<path d='M%.1f %.1f l4 7 h-8 z' class='full'/>", x, y - 4)
  return sprintf("<path d='M%.1f %.1f l4 7 h-8 z' class='open'/>", x, y - 4)
}
function text(x, y, words, how) { printf "<text x='%.1f' y='%.1f'%s>%s</text>\n", x, y, how, words }

# panel LEFT TITLE UNIT: value[workload, bound] from `low` to `high`, logarithmic.
function panel(left, title, ticks, unit, count, i, j, n, w, y, path, marks, list, order, at, swap) {
  printf "<g transform='translate(%d,40)'>\n", left
  text(0, -18, title, " class='title'")
  count = split(ticks, list, " ")
  for (i = 1; i <= count; ++i) {
    y = y_of(list[i])
    printf "<path d='M0 %.1f h%.1f' class='grid'/>\n", y, width
    text(-6, y + 4, list[i] unit, " text-anchor='end'")
  }
  for (i = 1; i <= bounds; ++i)
    text(x_of(bound[i]), height + 18, bound[i] == 0 ? "PTX order" : bound[i], " text-anchor='middle'")
  text(width / 2, height + 36, "loads of a warp ahead of the first reader, at most", " text-anchor='middle'")
  for (n = 1; n <= names; ++n) {
    w = name[n]
    path = marks = ""
    for (i = 1; i <= bounds; ++i) {
      y = y_of(value[w, bound[i]])
      path = path sprintf("%s%.1f %.1f ", i == 1 ? "M" : "L", x_of(bound[i]), y)
      marks = marks mark_at(n % 6, x_of(bound[i]), y)
    }
    printf "<path d='%s' class='line' stroke-dasharray='%s'/>%s\n", path, dashes[n % 4], marks
    order[n] = n
    at[n] = y
  }
  # Labels from the bottom up, moved apart where lines end together.
  for (i = 2; i <= names; ++i)
    for (j = i; j > 1 && at[order[j]] > at[order[j - 1]]; --j) { swap = order[j]; order[j] = order[j - 1]; order[j - 1] = swap }
  for (i = 2; i <= names; ++i) if (at[order[i]] > at[order[i - 1]] - 12) at[order[i]] = at[order[i - 1]] - 12
  for (i = 1; i <= names; ++i) {
    n = order[i]
    printf "<path d='M%.1f %.1f L%.1f %.1f' class='lead'/>\n", width + 5, y_of(value[name[n], bound[bounds]]), width + 16, at[n]
    text(width + 19, at[n] + 4, name[n], "")
  }
  print "</g>"
}
function y_of(v) { return height * (1 - (log(v) - log(low)) / (log(high) - log(low))) }

{
  if (!($1 in seen)) { seen[$1] = 1; name[++names] = $1 }
  if (!($2 in place)) { place[$2] = bounds; bound[++bounds] = $2 }
  ipc[$1, $2] = $3
  loads[$1, $2] = $4
}
END {
  width = 330; height = 330; step = width / (bounds - 1)
  split("4 2|9 3|2 3", d, "|"); dashes[0] = "none"; for (i = 1; i <= 3; ++i) dashes[i] = d[i]
  print "<svg xmlns='http://www.w3.org/2000/svg' width='960' height='430' font-family='sans-serif' font-size='12'>"
  print "<style>.line{fill:none;stroke:#222;stroke-width:1.4}.full{fill:#222}.open{fill:#fff;stroke:#222;stroke-width:1.3}" \
    ".grid{stroke:#ccc}.lead{stroke:#888;stroke-width:.7}.title{font-size:14px;font-weight:bold}</style>"
  print "<rect width='960' height='430' fill='#fff'/>"
  for (n = 1; n <= names; ++n) for (i = 1; i <= bounds; ++i) {
    value[name[n], bound[i]] = ipc[name[n], bound[i]] / ipc[name[n], 0]
    if (value[name[n], bound[i]] > most) most = value[name[n], bound[i]]
  }
  low = 0.7; high = most > 2 ? 1.1 * most : 2
  panel(60, "IPC, relative to the order of the PTX", most > 4 ? "0.7 1 1.5 2 3 4 6" : most > 2 ? "0.7 1 1.5 2 3" : "0.7 0.8 0.9 1 1.2 1.5 2", "")
  most = 0; least = 1e9
  for (n = 1; n <= names; ++n) for (i = 1; i <= bounds; ++i) {
    v = value[name[n], bound[i]] = loads[name[n], bound[i]]
    if (v > most) most = v
    if (v < least) least = v
  }
  low = least / 1.2; high = most * 1.2
  ticks = ""
  for (t = 0.5; t < high; t *= 2) if (t >= low) ticks = ticks (ticks == "" ? "" : " ") t
  panel(540, "line accesses of loads in flight in an SM", ticks, "")
  print "</svg>"
}
