/* global Countersign */
// A page of another origin that offers a tool to the page around it, and says how that went.
addEventListener("load", async () => {
  const page = Countersign.createPage();
  const [origin] = location.ancestorOrigins;
  const tool = { name: "balance", description: "Tells the balance.", execute: () => "12 EUR" };
  const offered = page.read({ ...tool, exposedTo: Countersign.exposure(origin) }).offered;
  parent.postMessage(await offered.then(String, String), "*");
});
