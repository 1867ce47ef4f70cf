// npm run bench: the measurements of docs/performance.md. Run it on a machine that does nothing else.

import { scenarioProgram } from "./steps/scenario-program.mjs";

await scenarioProgram("bench");
