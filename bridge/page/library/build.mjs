// Two bundles of the same code: a module, and a script that puts the exports into the global `Countersign`.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { build } from "esbuild";

const bundle = { entryPoints: ["src/index.ts"], bundle: true, target: "es2022", charset: "utf8", minify: true };

await build({ ...bundle, outfile: "dist/index.js", format: "esm", sourcemap: true });
await build({ ...bundle, outfile: "dist/countersign.js", format: "iife", globalName: "Countersign" });

// Whoever resolves modules as Node does needs the names of files in the types, too.
for (const name of readdirSync("dist").filter((name) => name.endsWith(".d.ts"))) {
  const types = readFileSync(`dist/${name}`, "utf8");
  writeFileSync(
    `dist/${name}`,
    types.replaceAll(/(from|import\() ?"(\.\/[^".]+)"/g, (_, how, file) => `${how} "${file}.js"`),
  );
}
