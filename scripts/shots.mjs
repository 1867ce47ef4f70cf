// npm run shots: photographs every screen in every state into target/shots.

import { scenarioProgram } from "./steps/scenario-program.mjs";

await scenarioProgram("shots");
