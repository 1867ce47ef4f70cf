// What the host does by hand: lays papers on the table, seals and opens a position, rules.
import { $ } from "/shared/dom.js";
import { commitmentOf, Denied } from "./proceeding.js";
import { newNonce } from "./tools.js";

const FORMS = { Open: "paper-form", Commit: "seal-form", Reveal: "open-form", Ruling: "rule-form" };

export function createHand(room, host) {
  /** What was sealed at this screen. It is here and nowhere else until it is opened. */
  let kept;

  const say = (text) => {
    $("hand-says").textContent = text;
  };
  const onSubmit = (id, act) =>
    $(id).addEventListener("submit", async (event) => {
      event.preventDefault();
      try {
        say("");
        await act(event.target);
      } catch (error) {
        if (!(error instanceof Denied)) throw error;
        say(error.message);
      }
    });

  return {
    listen() {
      onSubmit("paper-form", async (form) => {
        await room.addArtefact({ name: $("paper-name").value.trim(), text: $("paper-text").value }, host);
        form.reset();
      });
      onSubmit("seal-form", async (form) => {
        const position = $("position").value;
        const nonce = newNonce();
        await room.seal(await commitmentOf(position, nonce), host);
        kept = { position, nonce };
        form.reset();
        this.show();
        say("Sealed. This page keeps the text and its nonce until you open it; they end with this visit.");
      });
      onSubmit("open-form", async () => {
        await room.reveal(kept, host);
        kept = undefined;
        this.show();
      });
      onSubmit("rule-form", async (form) => {
        await room.rule($("ruling-text").value, host);
        form.reset();
      });
    },
    /** Shows the form of the phase, while there is something to do in it. */
    show() {
      const usable = {
        Commit: kept === undefined,
        Reveal: kept !== undefined,
        Ruling: room.ruling === undefined,
      };
      for (const [phase, id] of Object.entries(FORMS)) $(id).hidden = room.phase !== phase || usable[phase] === false;
      const { next } = room;
      $("advance").hidden = next === undefined;
      $("advance").textContent = `Go on to ${next}`;
      const none = Object.values(FORMS).every((id) => $(id).hidden);
      $("hand-none").hidden = !none;
    },
  };
}
