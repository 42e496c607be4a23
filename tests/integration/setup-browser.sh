#!/bin/sh
# What the browser tests need: Debian's chromium, and the packages that drive it in the environment of the given python.
set -eu
python=${1:-.venv/bin/python}
if [ ! -x /usr/bin/chromium ]; then
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium
fi
"$python" -m pip install --quiet --require-hashes --constraint constraints.txt --group browser
