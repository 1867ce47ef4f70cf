// Plays the desk, as any script of a page can.
const desk = { heads: [], ledger: { seq: 41, hash: "a".repeat(64) } };
document.addEventListener("countersign:page", ({ detail }) => {
  desk.version = detail.version;
  desk.heard = detail.heard;
  detail.heard({
    version: 1,
    tell: async (head) => {
      desk.heads.push(head);
      desk.ledger.seq += 1;
      return { ...desk.ledger };
    },
  });
});
