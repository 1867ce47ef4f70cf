/** What a person is asked by the browser when a page connects to the relay. */
export const browserAsks = [
  "A page from the internet needs leave to reach a program on your computer. Chromium and Chrome ask once for each site: “wants to access other apps and services on this device”. Newer Firefox asks the same.",
  "Turn the relay on first. The browser asks only when something answers there. Until you allow it, nothing of the page reaches Countersign.",
  "If you said no once, the site’s settings, left of the address, have it.",
  "Allowing it lets every script of that site reach every program that listens on your computer, not Countersign alone.",
  "A page that is not served over HTTPS is blocked without a question. A page from your own computer needs no leave.",
];

/** What the relay does not see or hold. */
export const relayHoldsNot = [
  {
    what: "What the page does by itself.",
    why: "Calls by its own code or by another agent in that browser are neither seen nor held.",
  },
  {
    what: "The network.",
    why: "No request is seen or held. A tool that says it reads may send what it likes.",
  },
  {
    what: "What runs under a name.",
    why: "A page that replaces a tool’s function and tells nothing is not noticed.",
  },
  {
    what: "The arguments inside the page.",
    why: "They are sent as they were released. What the page passes on is up to it.",
  },
  { what: "Whether it ran, and how often.", why: "“Done” means that the page says so, and no more." },
  { what: "Its tools.", why: "The list is the page’s word. It may list less than it has, and more." },
  {
    what: "Which page it is.",
    why: "Countersign knows the origin that the browser names, and the token. Any script of that page can answer in its place, and so can any program that has the token.",
  },
  { what: "What is stored.", why: "Cookies and storage of that browser are not seen." },
  { what: "A cancel.", why: "A read that is given up goes on in the page, and its answer is dropped." },
  { what: "Clicks.", why: "No event of the page is seen, so a call has no fingerprint of one." },
];
