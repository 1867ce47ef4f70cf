import { configure } from "@testing-library/svelte";
import { afterEach } from "vitest";
import { useHost } from "../src/host";

configure({ asyncUtilTimeout: 8_000 });

// What a webview has and jsdom has not.
globalThis.IntersectionObserver ??= class {
  observe() {}
  unobserve() {}
  disconnect() {}
  takeRecords() {
    return [];
  }
} as unknown as typeof IntersectionObserver;
Element.prototype.scrollIntoView ??= () => undefined;

afterEach(() => useHost(undefined));
