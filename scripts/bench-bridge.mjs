// npm run bench:bridge: calls through the bridge against @mcp-b/webmcp-local-relay, for docs/performance.md. Run it on a machine that
// does nothing else. Linux.

import path from "node:path";
import { ROOT, run } from "./steps/run.mjs";
import { mcpBPackages } from "./steps/mcp-b.mjs";
import { TARGET } from "./steps/stamps.mjs";

await mcpBPackages();
const programs = [
  "-p",
  "countersign-bridge",
  "--bin",
  "countersign-bridge",
  "-p",
  "countersign-scenarios",
  "--bin",
  "desk_rig",
];
await run("cargo", ["build", "--profile", "measured", ...programs]);
await run(process.execPath, [path.join(ROOT, "tests/bench-bridge/bench.mjs"), path.join(TARGET, "measured")]);
