import { invoke } from "@tauri-apps/api/core";
import { listen } from "@tauri-apps/api/event";
import type { Host } from "./bridge";

/** The desktop. */
export const desktop: Host = {
  call: (command, params) => invoke(command, params === undefined ? undefined : { params }),
  subscribe(stream, hear) {
    let ended = false;
    let stop: (() => void) | undefined;
    void listen(stream, (event) => hear(event.payload as never)).then((unlisten) => {
      if (ended) unlisten();
      else stop = unlisten;
    });
    return () => {
      ended = true;
      stop?.();
    };
  },
};
