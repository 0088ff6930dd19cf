# For the scripts that write tables into pages, between <!-- NAME: begin --> and <!-- NAME: end -->. To be sourced.

# put_table PAGE NAME FILE: the file's text takes the place of what is there.
put_table() {
  local page
  page=$(awk -v begin="<!-- $2: begin -->" -v end="<!-- $2: end -->" -v file="$3" '
    $0 == end { inside = 0 }
    !inside { print }
    $0 == begin { inside = 1; while ((getline line <file) > 0) print line }' "$1") && printf '%s\n' "$page" >"$1"
}

# is_table PAGE NAME FILE: the page holds the file's text; else it says what differs.
is_table() {
  awk -v begin="<!-- $2: begin -->" -v end="<!-- $2: end -->" '$0 == end { inside = 0 } inside { print } $0 == begin { inside = 1 }' "$1" |
    diff - "$3" || { echo "$1 differs from what the program does"; return 1; }
}
