#!/bin/bash
# strata run --live on a pseudo terminal: what it draws, that it changes nothing, Ctrl-C, and no terminal. Usage: live_cli_test.sh PROGRAM
# shellcheck source=tb/system/expect.sh
. "$(dirname "$0")/expect.sh" "$1"
command -v python3 >/dev/null || { echo "skipped: no python3 to make pseudo terminals with"; exit 77; }

# terminal ROWS COLUMNS STOP COMMAND...: stderr and stdin are a terminal of that size, stdout is stdout; prints the exit code. What is
# drawn goes to the file `drawn`, and the last whole picture to `screen`. STOP: Ctrl-C comes after the first picture.
cat >"$folder/terminal.py" <<'PY'
import fcntl, os, pty, re, signal, struct, sys, termios
rows, columns, stop, command = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3] == 'stop', sys.argv[4:]
out = os.dup(1)
child, terminal = pty.fork()
if child == 0:
    os.dup2(out, 1)
    os.execvp(command[0], command)
fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack('HHHH', rows, columns, 0, 0))
drawn = b''
while True:
    try:
        part = os.read(terminal, 65536)
    except OSError:  # the other end is closed
        break
    drawn += part
    if stop and b'waits between blocks' in drawn:
        os.write(terminal, b'\x03')
        stop = False
_, status = os.waitpid(child, 0)
folder = os.path.dirname(sys.argv[0])
open(folder + '/drawn', 'wb').write(drawn)
pictures = re.split(rb'\x1b\[\d+A|\x1b\[J', drawn)
open(folder + '/screen', 'wb').write(max([b''] + [p for p in pictures if b'waits between blocks' in p], key=len).replace(b'\x1b[K', b''))
print('exit code', os.waitstatus_to_exitcode(status))
PY
terminal() { python3 "$folder/terminal.py" "$@"; }
screen() { grep -qF -- "$1" "$folder/screen" || complain "no '$1' on the screen: $(cat "$folder/screen")"; }

# Drawn at the first look, which each run has. The results are those of a run without an observer.
work="run isca19/shared --trace synthetic:random:ctas=320,loads=16,footprint=8MiB --seed 3"
plain=$("$strata" $work --quiet --out "$folder/plain")
said=$(terminal 40 110 go "$strata" $work --live --out "$folder/live")
[ "$(tail -1 <<<"$said")" = "exit code 0" ] || complain "a watched run ends with $said"
grep -qF "${plain#digest: }" <<<"$said" || complain "a watched run has another digest than $plain: $said"
for file in epochs.csv slices.csv kernels.csv ledger.csv; do
  cmp -s "$folder/plain/$file" "$folder/live/$file" || complain "--live changes $file"
done
for text in "thread instructions" "IPC " "in the mean" "limit now: " "where they spend them" "llc." "used since the last drawing" \
    "waits between blocks now" "l1 MSHRs" " -> " "oldest transaction, in "; do
  screen "$text"
done
# Shares are shares, no line is longer than the terminal or begins behind its last row, and all is erased at the end.
python3 - "$folder/screen" <<'PY' || complain "the picture does not fit: $(cat "$folder/screen")"
import re, sys
text = open(sys.argv[1], encoding='utf-8', newline='').read().replace('\r', '')
lines = text.rstrip('\n').split('\n')
assert len(lines) <= 39, len(lines)
assert max(map(len, lines)) <= 110, max(map(len, lines))
assert all(0 <= float(share) <= 100 for share in re.findall(r'([\d.]+) %', text))
PY
tail -c 12 "$folder/drawn" | grep -q $'\x1b\\[J' || complain "the picture stays: $(tail -c 200 "$folder/drawn" | cat -v)"

# At 80 columns no word is cut: what does not fit is "…", and sentences go on in the next line.
terminal 60 300 go "$strata" $work --live --out "$folder/wide" >/dev/null
cp "$folder/screen" "$folder/wide_screen"
terminal 60 80 go "$strata" $work --live --out "$folder/narrow" >/dev/null
python3 - "$folder/screen" "$folder/wide_screen" <<'PY' || complain "words are cut at 80 columns: $(cat "$folder/screen")"
import re, sys
narrow, wide = (open(name, encoding='utf-8', newline='').read().replace('\r', '') for name in sys.argv[1:])
assert max(map(len, narrow.rstrip('\n').split('\n'))) <= 80
words = set(re.findall(r'[A-Za-z][A-Za-z_./-]+', wide))
for line in narrow.split('\n'):  # the two pictures are of different moments: only what stands at the edge can be cut
    last = re.search(r'[A-Za-z][A-Za-z_./-]+$', line.rstrip())
    if last and len(line.rstrip()) == 80 and last.group() not in words:
        assert not any(word.startswith(last.group()) for word in words), line
limit = re.search(r'limit now: .*(?:\n  \S.*)?', narrow).group().replace('\n ', '').split()
whole = re.search(r'limit now: .*', wide).group().split()
assert limit[2] != whole[2] or limit[:6] == whole[:6], limit
PY

# A small terminal has a small picture. Traffic generators have no instructions.
terminal 14 50 go "$strata" $work --live --out "$folder/small" >/dev/null
[ "$(grep -c . "$folder/screen")" -le 13 ] || complain "14 rows are too few: $(cat "$folder/screen")"
terminal 40 110 go "$strata" run isca19/traffic_shared --live --out "$folder/traffic" | grep -q "exit code 0" || complain "--live of traffic fails"
screen " replies, "

# Ctrl-C keeps what was simulated.
said=$(terminal 40 110 stop "$strata" run isca19/shared --trace synthetic:random:ctas=100000,loads=2000,footprint=64MiB --live --out "$folder/stopped")
[ "$(tail -1 <<<"$said")" = "exit code 130" ] || complain "after Ctrl-C: $said"
grep -q '"reason": "interrupted"' "$folder/stopped/stats.json" || complain "no partial results after Ctrl-C"

# Without a terminal, or with nothing to draw.
expect 1 "--live: draws on a terminal, and stderr is none; --progress writes a line instead" $work --live --out "$folder/none"
[ -e "$folder/none" ] && complain "a refused run has left results"
terminal 40 110 go "$strata" $work --live --quiet --out "$folder/none" | grep -q "exit code 1" || complain "--live --quiet runs"
grep -q -- "--live: cannot be combined with --quiet" "$folder/drawn" || complain "no word of --quiet"
exit $failed
