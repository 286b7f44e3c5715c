#!/bin/sh
# Installs the packages of `bun.lock`, twice at most: two installations of one folder at once disturb each other. Says so
# first where there is something to install, because that takes a while; Bun itself is silent unless it fails.
installed=node_modules/.installed-lock
if cmp -s bun.lock "$installed"; then said=1; else said=; echo "installing packages; the first time takes about a minute" >&2; fi
bun install --frozen-lockfile --silent || bun install --frozen-lockfile || exit
# Where this user may not write, the next start only says it once more.
[ -n "$said" ] || cp bun.lock "$installed" 2>/dev/null || true
