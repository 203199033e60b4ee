#!/bin/sh
# Fetch the browser files that a Jupyter Book page would otherwise take from another host, into
# book/_static/vendor, and write their checksums. For maintainers, when a version below changes:
# needs npm, a Python that may install packages, and the Latin Modern fonts of a TeX or of Debian's
# fonts-lmodern; commit the result. Readers and tests never run it.
set -eu
TEMML=0.13.5
FONTAWESOME=6.5.2 # the one that pydata-sphinx-theme brings

root=$(cd "$(dirname "$0")/.." && pwd)
vendor=$root/book/_static/vendor
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

cd "$scratch"
python3 -m venv tools
tools/bin/pip install --quiet fonttools brotli
subset() { # FONT LICENSE FOLDER/FILE CHARACTERS
  mkdir -p "$(dirname "$vendor/$3")"
  cp "$2" "$vendor/${3%%/*}/LICENSE"
  tools/bin/pyftsubset "$1" --unicodes="$4" --layout-features= --no-hinting --desubroutinize \
    --flavor=woff2 --output-file="$vendor/$3"
}

# formulas: what turns TeX into MathML when the book is built, ...
npm pack --silent "temml@$TEMML" >/dev/null
tar -xzf "temml-$TEMML.tgz" --transform='s,^package,temml,'
mkdir -p "$vendor/temml"
cp temml/LICENSE temml/dist/temml.min.js "$vendor/temml/"
# ... and the letters and signs of their font
latin=$(find /usr/share /usr/local -name latinmodern-math.otf | head -n 1)
license=$(find /usr/share /usr/local -path '*lm-math*' -name 'GUST-FONT-LICENSE*' | head -n 1)
subset "$latin" "$license" math/latinmodern-math.woff2 "U+20-7E,U+A0,U+AC,U+B1,U+B7,U+D7,U+2C6,U+2DC,U+2D9,U+300-304,U+307,U+338,U+393,U+394,U+398,U+39B,U+39E,U+3A0,U+3A3,U+3A6,U+3A8,U+3A9,U+3B1-3C9,U+3D1,U+3D5,U+3F1,U+3F5,U+2013,U+2014,U+2016,U+2018-201D,U+2026,U+2032,U+2033,U+203E,U+2061-2064,U+210B,U+2110,U+2112,U+2113,U+211B,U+2115,U+211A,U+211D,U+2124,U+2190-2193,U+21A6,U+21D0-21D4,U+2200,U+2202,U+2203,U+2205,U+2207-220B,U+220F-2213,U+2216-2218,U+221A,U+221D,U+221E,U+2223-222B,U+223C,U+2243,U+2245,U+2248,U+2260,U+2261,U+2264,U+2265,U+226A,U+226B,U+2282-2287,U+2295,U+2297,U+22A4,U+22A5,U+22C0-22C5,U+22EE,U+22EF,U+2308-230B,U+23DE,U+23DF,U+25A1,U+27E8,U+27E9,U+27F5-27FA,U+1D400-1D467,U+1D49C-1D4B5,U+1D538-1D550,U+1D6AA-1D71B,U+1D7CE-1D7D7"

# the theme's buttons: the icons that it shows, under the name at which its style sheet asks for all
npm pack --silent "@fortawesome/fontawesome-free@$FONTAWESOME" >/dev/null
tar -xzf "fortawesome-fontawesome-free-$FONTAWESOME.tgz" --transform='s,^package,icons,'
subset icons/webfonts/fa-solid-900.ttf icons/LICENSE.txt fontawesome/webfonts/fa-solid-900.woff2 \
  "U+F002,U+F00D,U+F019,U+F03A,U+F042,U+F053,U+F054,U+F05A,U+F062,U+F065,U+F077,U+F078,U+F0C9,U+F0EB,U+F104,U+F105,U+F107,U+F121,U+F135,U+F15B,U+F185,U+F186,U+F1C1,U+F303"

cd "$vendor"
find . -type f ! -name SHA256SUMS ! -name README.md | LC_ALL=C sort | xargs sha256sum > SHA256SUMS
du -sh "$vendor"
