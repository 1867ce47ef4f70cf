// The examples as they ship, beside the built library, under a policy that lets nothing of the network in.
import { readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";

const PAGE = join(import.meta.dirname, "../../bridge/page");
const LIBRARY = join(PAGE, "library");
const MEDIA: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};
const POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'";

/** What an agent in the page has, and what plays the desk: the library's own. */
export const HELPERS = readFileSync(join(LIBRARY, "test/browser/helpers.js"), "utf8");
export const DESK = readFileSync(join(LIBRARY, "test/browser/desk.js"), "utf8");

export interface ExampleSite {
  /** The address of an example. */
  at(example: string, query?: string): string;
  close(): void;
}

const fileOf = (path: string): string | undefined => {
  if (path === "/countersign.js") return join(LIBRARY, "dist/countersign.js");
  const file = join(PAGE, "examples", normalize(path.endsWith("/") ? `${path}index.html` : path));
  return statSync(file, { throwIfNoEntry: false })?.isFile() ? file : undefined;
};

export const serveExamples = async (): Promise<ExampleSite> => {
  const server = createServer((request, response) => {
    const file = fileOf(new URL(request.url ?? "/", "http://127.0.0.1").pathname);
    if (!file) return void response.writeHead(404).end();
    response.setHeader("content-type", MEDIA[extname(file)] ?? "application/octet-stream");
    response.setHeader("content-security-policy", POLICY);
    response.end(readFileSync(file));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  return {
    at: (example, query = "") => `http://127.0.0.1:${port}/${example}/${query}`,
    close: () => server.close(),
  };
};
