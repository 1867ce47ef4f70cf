/* global chrome */
// Refuses sockets where the browser makes them, whichever script asked. The app switches it over the debugging pipe and is told of
// every attempt; pages and other extensions cannot reach it.

const RULE = 1;

// A tab has one name here and another on the pipe. Nothing is attached to; the list is all that is read.
const tabs = async () => (await chrome.debugger.getTargets()).filter((target) => target.tabId !== undefined);

/** Refuses new sockets but for those of the tabs in `spare`, or refuses none. */
globalThis.guard = async (on, spare) => {
  const condition = { resourceTypes: ["websocket", "webtransport"] };
  if (on && spare.length > 0) {
    const excludedTabIds = (await tabs()).filter((tab) => spare.includes(tab.id)).map((tab) => tab.tabId);
    if (excludedTabIds.length > 0) condition.excludedTabIds = excludedTabIds;
  }
  await chrome.declarativeNetRequest.updateSessionRules({
    removeRuleIds: [RULE],
    addRules: on ? [{ id: RULE, action: { type: "block" }, condition }] : [],
  });
  return true;
};

chrome.declarativeNetRequest.onRuleMatchedDebug.addListener(async ({ request }) => {
  const { url, type, tabId } = request;
  const tab = tabId < 0 ? undefined : (await tabs()).find((target) => target.tabId === tabId)?.id;
  globalThis.report(JSON.stringify({ url, type, tab }));
});

globalThis.report(JSON.stringify({ ready: true }));
