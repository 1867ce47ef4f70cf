// A page of another origin that claims something to the page around it.
const say = (data) => parent.postMessage(data, "*");
say("no claim");
say({ type: "countersign:claim", claim: 5 });
say({ type: "countersign:claim", claim: "half \ud800" });
say({ type: "countersign:claim", claim: decodeURIComponent(location.hash.slice(1)) });
