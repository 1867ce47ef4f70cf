// Runs in the page's own world, before any page script, in every document.
import { decide } from "./calls";
import { watch } from "./fingerprint";
import { arm, disarm, holdForms } from "./forms";
import { handOver, hear } from "./port";
import { wrapTools } from "./tools";

if (handOver()) {
  watch();
  wrapTools();
  holdForms();
  hear((message) => {
    if (message.type === "decide") decide(message.call, message.decision);
    else if (message.type === "arm") arm(message);
    else if (message.type === "disarm") disarm(message.ticket);
  });
}
