// Two bundles of the same code: a module, and a script that puts the exports into the global `Countersign`.
import { build } from "esbuild";

const bundle = { entryPoints: ["src/index.ts"], bundle: true, target: "es2022", charset: "utf8", minify: true };

await build({ ...bundle, outfile: "dist/index.js", format: "esm", sourcemap: true });
await build({ ...bundle, outfile: "dist/countersign.js", format: "iife", globalName: "Countersign" });
