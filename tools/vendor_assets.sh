#!/bin/sh
# Fetch the browser files that a Jupyter Book page would otherwise take from another host, into
# book/_static/vendor, and write their checksums. For maintainers, when a version below changes:
# needs npm; commit the result. Readers and tests never run it.
set -eu
MATHJAX=3.2.2
REVEAL=5.2.1

root=$(cd "$(dirname "$0")/.." && pwd)
vendor=$root/book/_static/vendor
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

cd "$scratch"
npm pack --silent "mathjax@$MATHJAX" >/dev/null
tar -xzf "mathjax-$MATHJAX.tgz"
from=$scratch/package
to=$vendor/mathjax

rm -rf "$to"
mkdir -p "$to/output/chtml/fonts" "$to/input/tex" "$to/sre/mathmaps"
cp "$from/LICENSE" "$to/LICENSE"
cp "$from/es5/tex-chtml.js" "$to/"
cp -R "$from/es5/output/chtml/fonts/woff-v2" "$to/output/chtml/fonts/"
# loaded on demand: TeX packages; and, when a reader asks the menu for speech or for walking through
# a formula, the MathML reader, the accessibility modules and the English rules
cp -R "$from/es5/input/tex/extensions" "$to/input/tex/"
cp "$from/es5/input/mml.js" "$to/input/"
cp -R "$from/es5/input/mml" "$to/input/"
cp -R "$from/es5/a11y" "$to/"
cp "$from/es5/sre/mathmaps/base.json" "$from/es5/sre/mathmaps/en.json" "$to/sre/mathmaps/"
find "$to" -type f -exec chmod 644 {} +

# the slides: what a deck runs on, and the window with the notes of the speaker
npm pack --silent "reveal.js@$REVEAL" >/dev/null
tar -xzf "reveal.js-$REVEAL.tgz" --transform='s,^package,reveal,'
from=$scratch/reveal
to=$vendor/reveal
rm -rf "$to"
mkdir -p "$to/plugin/notes"
cp "$from/LICENSE" "$to/LICENSE"
cp "$from/dist/reset.css" "$from/dist/reveal.css" "$from/dist/reveal.js" "$to/"
cp "$from/plugin/notes/notes.js" "$to/plugin/notes/"
find "$to" -type f -exec chmod 644 {} +

cd "$vendor"
find . -type f ! -name SHA256SUMS ! -name README.md | LC_ALL=C sort | xargs sha256sum > SHA256SUMS
du -sh "$vendor"
