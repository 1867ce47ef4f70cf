// The switch that takes the write tools away from agents and gives them back. Reads stay.

import { hasWebmcp } from "./agent.js";

/** `offer` registers the writes and answers their registrations. Nothing is offered here until it is called the first time. */
export function writeSwitch(button, { offer, failed }) {
  let offered;
  const show = () => {
    button.textContent = offered ? "Take the write tools away" : "Give the write tools back";
    button.setAttribute("aria-pressed", String(!offered));
  };
  const give = () => {
    offered = offer();
    for (const tool of offered) tool.offered.catch((error) => failed(`A tool could not be offered: ${error.message}`));
  };
  button.addEventListener("click", async () => {
    button.disabled = true;
    const taken = offered;
    if (taken) {
      offered = undefined;
      await Promise.all(taken.map((tool) => tool.withdraw()));
    } else give();
    button.disabled = false;
    show();
  });
  button.closest(".switch").hidden = !hasWebmcp();
  give();
  show();
}
