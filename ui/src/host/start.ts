import { mount, type Component } from "svelte";
import { connect, windowPainted, type WindowName } from ".";
import { afterPaint } from "./paint";

/** Mounts a window's screen and says when it has been painted. */
export async function start(name: WindowName, screen: Component): Promise<void> {
  const target = document.getElementById("app");
  if (target === null) return;
  await connect();
  // The webview's own menu offers Reload and Back, which mean nothing here; text fields keep theirs.
  document.addEventListener("contextmenu", (event) => {
    if (!(event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement))
      event.preventDefault();
  });
  mount(screen, { target });
  afterPaint(() => void windowPainted(name).catch(() => undefined));
}
