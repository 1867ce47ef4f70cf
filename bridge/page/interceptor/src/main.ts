// Runs in the page's own world, before any page script, in every document.
import { hearCookies, watchCookies } from "./cookies";
import { watch } from "./fingerprint";
import { arm, disarm, holdForms, listenForForms } from "./forms";
import { whenEmptied } from "./emptied";
import { answerPages, headTold } from "./heads";
import { hear, hearGuard, isServed, post, tellAtOnce } from "./port";
import { guardSockets, holdSockets } from "./sockets";
import { removeFromDocument } from "./removed";
import { speakThrough } from "./tell";
import { wrapTools } from "./tools";
import { decide } from "./waiting";

if (!isServed()) {
  speakThrough(post);
  watch();
  wrapTools();
  holdForms();
  holdSockets({ opened: () => tellAtOnce({ type: "opened" }) });
  removeFromDocument();
  hearGuard(guardSockets);
  watchCookies();
  answerPages();
  whenEmptied(() => {
    watch();
    listenForForms();
    hearCookies();
    answerPages();
  });
  hear((message) => {
    if (message.type === "decide") decide(message.call, message.decision);
    else if (message.type === "arm") arm(message);
    else if (message.type === "disarm") disarm(message.ticket);
    else if (message.type === "head") headTold(message.number, message.row);
  });
}
