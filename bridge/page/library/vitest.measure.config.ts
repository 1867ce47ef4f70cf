import { defineConfig } from "vitest/config";

export default defineConfig({
  test: { include: ["measure/*.ts"], testTimeout: 600_000, disableConsoleIntercept: true },
});
