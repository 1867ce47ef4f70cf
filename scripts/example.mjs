// npm run example NAME: opens the app on one of the pages that come with it.

import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { openApp } from "./steps/open.mjs";
import { main, ROOT, Stop } from "./steps/run.mjs";

const FOLDER = path.join(ROOT, "bridge/page/examples");
const NAMES = readdirSync(FOLDER).filter((name) => existsSync(path.join(FOLDER, name, "index.html")));

await main(([name]) => {
  const names = `There are: ${NAMES.join(", ")}.`;
  if (name === undefined) throw new Stop(`Which example? Give its name, as in: npm run example shop\n${names}`);
  if (!NAMES.includes(name)) throw new Stop(`There is no example "${name}". ${names}`);
  return openApp(`npm run example ${name}`, { COUNTERSIGN_EXAMPLE: name });
});
