// Bundles each world's script to a single IIFE that the bridge crate embeds. `__COUNTERSIGN__` stays free: the app puts
// the constants of one run around the bundle.
import { build } from "esbuild";

await build({
  entryPoints: ["src/main.ts", "src/isolated.ts", "src/worker.ts"],
  outdir: "dist",
  bundle: true,
  format: "iife",
  target: "chrome150",
  charset: "utf8",
  legalComments: "none",
});
