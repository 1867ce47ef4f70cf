// npm start: makes ready what is missing, then opens the app.

import { openApp } from "./steps/open.mjs";
import { main } from "./steps/run.mjs";

await main(() => openApp("npm start"));
