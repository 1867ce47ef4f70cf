import type { DeskState, DoorState } from "../gen/contract";

export function browserDoor(desk: DeskState): DoorState {
  return desk.doors.find((door) => door.kind === "browser")?.status ?? { state: "closed" };
}

/** The door in two or three words, with the tone of its dot. */
export function connection(door: DoorState): { words: string; tone: "good" | "held" | "bad" | "plain" } {
  switch (door.state) {
    case "closed":
      return { words: "Browser not started", tone: "plain" };
    case "no-browser":
      return { words: "No browser found", tone: "bad" };
    case "starting":
      return { words: "Starting the browser", tone: "held" };
    case "open":
      return { words: "Connected", tone: "good" };
    case "exited":
      return { words: "Browser closed", tone: "plain" };
    case "crashed":
      return { words: "Browser stopped", tone: "bad" };
  }
}
