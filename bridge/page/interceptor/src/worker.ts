// Runs in a worker before the worker's own script. There is one realm and no world beside it: the binding is taken and removed,
// and the app speaks through the function it gets back.
import type { RunConstants } from "./constants";
import type { FromPage, ToPage } from "./gen/page";
import { bare, deleteProperty, stringify } from "./primordials";
import { refuseOpening } from "./refused";
import { removeFromWorker } from "./removed";
import { guardSockets, holdSockets } from "./sockets";
import { speakThrough, tell } from "./tell";
import { decide } from "./waiting";

declare const __COUNTERSIGN__: RunConstants & { guarded: boolean; hear?: (message: ToPage) => boolean };

type World = typeof globalThis & { [name: string]: unknown };
const bound = (globalThis as World)[__COUNTERSIGN__.binding] as (text: string) => void;
deleteProperty(globalThis, __COUNTERSIGN__.binding);

speakThrough((message: FromPage) => bound(stringify(bare(message))));
holdSockets({ opened: () => tell({ type: "opened" }), refuse: refuseOpening });
removeFromWorker();
guardSockets(__COUNTERSIGN__.guarded);

__COUNTERSIGN__.hear = (message: ToPage): boolean => {
  if (message.type === "guard") guardSockets(message.on);
  else if (message.type === "decide") decide(message.call, message.decision);
  return true;
};
