// Runs in the page's own world, before any page script, in every document.
import { decide } from "./calls";
import { watchCookies } from "./cookies";
import { watch } from "./fingerprint";
import { arm, disarm, holdForms, listenForForms } from "./forms";
import { whenEmptied } from "./emptied";
import { handOver, hear } from "./port";
import { wrapTools } from "./tools";

if (handOver()) {
  watch();
  wrapTools();
  holdForms();
  watchCookies();
  whenEmptied(() => {
    watch();
    listenForForms();
  });
  hear((message) => {
    if (message.type === "decide") decide(message.call, message.decision);
    else if (message.type === "arm") arm(message);
    else if (message.type === "disarm") disarm(message.ticket);
  });
}
