#!/bin/sh
# The browser with a debugging port beside the app's pipe, for scenarios that have to press something in a page. The app opens no port.
for name in chromium chromium-browser google-chrome-stable google-chrome; do
  if command -v "$name" >/dev/null; then exec "$name" --remote-debugging-port=0 "$@"; fi
done
echo "There is no browser to press anything in." >&2
exit 1
