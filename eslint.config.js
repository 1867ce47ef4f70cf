import js from "@eslint/js";
import prettier from "eslint-config-prettier";
import svelte from "eslint-plugin-svelte";
import { defineConfig } from "eslint/config";
import globals from "globals";
import ts from "typescript-eslint";

export default defineConfig(
  { ignores: ["target/", "gen/", "permissions/", "**/dist/", "**/node_modules/", "**/src/gen/"] },
  js.configs.recommended,
  ts.configs.strict,
  svelte.configs.recommended,
  prettier,
  svelte.configs.prettier,
  {
    rules: {
      eqeqeq: ["error", "always", { null: "ignore" }],
      "no-console": "error",
      // `call<void>()` is how a command without an answer reads.
      "@typescript-eslint/no-invalid-void-type": "off",
      // The interceptor keeps records by name, and takes them out again.
      "@typescript-eslint/no-dynamic-delete": "off",
      // `_name` says that a parameter is there for its place only.
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_" }],
    },
  },
  {
    files: ["ui/**/*.{ts,svelte}", "bridge/{page,tests}/**/*.{ts,js}", "tests/pages/**/*.js", "tests/seeds/*.ts"],
    languageOptions: { globals: globals.browser },
  },
  {
    // What a page's script declares is there for the scripts after it.
    files: ["tests/pages/**/*.js", "bridge/page/library/test/browser/*.js"],
    languageOptions: { globals: { ...globals.browser, ...globals.serviceworker }, sourceType: "script" },
    rules: { "@typescript-eslint/no-unused-vars": ["error", { vars: "local" }] },
  },
  {
    files: ["**/*.svelte", "**/*.svelte.ts"],
    languageOptions: { parserOptions: { parser: ts.parser } },
    rules: { "svelte/no-at-html-tags": "error" },
  },
  {
    // TypeScript resolves names itself, and knows the types that `no-undef` does not.
    files: ["**/*.{ts,svelte}"],
    rules: { "no-undef": "off" },
  },
  {
    // A declared global is a `var`, whatever one would write in code.
    files: ["**/*.d.ts"],
    rules: { "no-var": "off" },
  },
  {
    files: ["ui/src/**/*.{ts,svelte}"],
    ignores: ["ui/src/host/**"],
    rules: {
      "no-restricted-imports": [
        "error",
        { patterns: [{ group: ["@tauri-apps/*"], message: "The desktop is reached through ui/src/host only." }] },
      ],
    },
  },
  {
    files: ["scripts/**/*.mjs", "tests/bench-bridge/*.mjs", "**/*.config.{js,ts}", "**/build.mjs", "eslint.config.js"],
    languageOptions: { globals: globals.node },
    rules: { "no-console": "off" },
  },
);
