import type { FromPage } from "./gen/page";

let speak: (message: FromPage) => void = () => {};

/** Says what everything here is told through: the port of a document, the binding of a worker. */
export const speakThrough = (way: (message: FromPage) => void): void => {
  speak = way;
};

/** Tells the app something. */
export const tell = (message: FromPage): void => speak(message);
