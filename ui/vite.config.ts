import { fileURLToPath } from "node:url";
import { svelte } from "@sveltejs/vite-plugin-svelte";
import { svelteTesting } from "@testing-library/svelte/vite";
import { defineConfig } from "vitest/config";
import desktop from "../tauri.conf.json" with { type: "json" };

const entry = (name: string) => fileURLToPath(new URL(`./${name}.html`, import.meta.url));

/** The policy the desktop serves these pages under, so that a browser preview fails where the desktop would. */
const policy = desktop.app.security.csp;

export default defineConfig({
  plugins: [svelte(), svelteTesting()],
  server: { host: "127.0.0.1", port: 5173, strictPort: true },
  preview: { host: "127.0.0.1", port: 4173, headers: { "Content-Security-Policy": policy } },
  build: {
    outDir: "dist",
    emptyOutDir: true,
    target: ["es2022", "safari16"],
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: { input: { panel: entry("panel"), approval: entry("approval"), ledger: entry("ledger") } },
  },
  test: {
    environment: "jsdom",
    include: ["test/**/*.test.ts"],
    setupFiles: ["test/setup.ts"],
    restoreMocks: true,
    testTimeout: 20_000,
    expect: { poll: { timeout: 8_000 } },
  },
});
