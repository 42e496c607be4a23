#!/bin/sh
# What the tests of the proof kernel need: Debian's Coq.
set -eu
if ! command -v coqc >/dev/null || ! command -v coqchk >/dev/null; then
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends coq
fi
