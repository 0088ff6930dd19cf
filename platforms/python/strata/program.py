"""Starting the program."""

import os
import shutil
import subprocess


class StrataError(Exception):
    """An error, in one sentence."""


def program():
    """The program: STRATA_PROGRAM, or `strata` in PATH."""
    found = os.environ.get("STRATA_PROGRAM") or shutil.which("strata")
    if not found or not os.access(found, os.X_OK):
        raise StrataError("no program 'strata': set STRATA_PROGRAM to it, or put it into PATH")
    return found


def _start(words):
    done = subprocess.run([program(), *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        lines = [line for line in done.stderr.splitlines() + done.stdout.splitlines() if line]
        raise StrataError(f"strata {words[0]}: exit code {done.returncode}: {lines[-1] if lines else 'no message'}")
    return done.stdout


def _words(options):
    """`max_instructions=5` is `--max-instructions 5`; a list repeats an option; `sets` are the values of --set."""
    words = []
    for name, value in options.items():
        option = "--" + name.replace("_", "-")
        for one in value if isinstance(value, (list, tuple)) else [value]:
            if one is True:
                words.append(option)
            elif one is not False and one is not None:
                words += [option, str(one)]
    return words


def run(platform, out, sets=None, **options):
    """`strata run PLATFORM --out OUT --set KEY=VALUE ...`; the results."""
    from .results import read

    words = ["run", platform, "--quiet", "--out", out, *_words(options)]
    for key, value in (sets or {}).items():
        words += ["--set", f"{key}={value}"]
    _start(words)
    return read(out)


def sweep(file, out, **options):
    """`strata sweep FILE --out OUT ...`; its tables. Finished points are not simulated again."""
    from .sweeps import read_sweep

    _start(["sweep", file, "--quiet", "--out", out, *_words(options)])
    return read_sweep(out)
