// Serves the built library, the polyfill and a page that loads them, and counts what is posted.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { join } from "node:path";

const FOLDER = join(import.meta.dirname, "../..");
const FILES: Record<string, string> = {
  "/countersign.js": join(FOLDER, "dist/countersign.js"),
  "/polyfill.js": createRequire(import.meta.url).resolve("@mcp-b/webmcp-polyfill/iife"),
  "/helpers.js": join(FOLDER, "test/browser/helpers.js"),
  "/partner.js": join(FOLDER, "test/browser/partner.js"),
  "/exposed.js": join(FOLDER, "test/browser/exposed.js"),
  "/desk.js": join(FOLDER, "test/browser/desk.js"),
};

const page = (scripts: string[]) => `<!doctype html><meta charset="utf-8"><title>Shop</title>
<button id="release">Release</button> <button id="refuse">Refuse</button>
${scripts.map((name) => `<script src="/${name}.js"></script>`).join("\n")}`;

export interface Server {
  /** A page with these scripts before the library; `localhost` is another origin than `127.0.0.1`. */
  page(scripts: string[], host?: "127.0.0.1" | "localhost"): string;
  /** The bodies that were posted. */
  readonly posted: string[];
  close(): void;
}

export const serve = async (): Promise<Server> => {
  const posted: string[] = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://127.0.0.1");
    if (request.method === "POST") {
      let body = "";
      request.setEncoding("utf8").on("data", (text) => (body += text));
      request.on("end", () => {
        posted.push(body);
        response.end("{}");
      });
      return;
    }
    const file = FILES[url.pathname];
    if (file) return void response.setHeader("content-type", "text/javascript; charset=utf-8").end(readFileSync(file));
    const scripts = url.searchParams.getAll("script");
    response.setHeader("content-type", "text/html; charset=utf-8");
    if (url.searchParams.has("isolated")) {
      // The clock of such a page is exact to 5 µs.
      response.setHeader("cross-origin-opener-policy", "same-origin");
      response.setHeader("cross-origin-embedder-policy", "require-corp");
    }
    response.end(page([...scripts, "countersign", "helpers"]));
  });
  await new Promise<void>((resolve) => server.listen(0, resolve));
  const { port } = server.address() as { port: number };
  return {
    posted,
    page: (scripts, host = "127.0.0.1") =>
      `http://${host}:${port}/?${scripts.map((script) => `script=${script}`).join("&")}`,
    close: () => server.close(),
  };
};
