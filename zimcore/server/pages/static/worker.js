// Shows notices that the server sends while no page of the game is open, and opens the game from them.
const worker = /** @type {any} */ (self);

worker.addEventListener("push", event => {
  const { game, text } = event.data.json();
  const address = `/games/${encodeURIComponent(game)}`;
  event.waitUntil(worker.registration.showNotification(game, { body: text, tag: address, data: address }));
});

worker.addEventListener("notificationclick", event => {
  event.notification.close();
  event.waitUntil(open(event.notification.data));
});

/** Goes to the tab with the game, or opens one. */
async function open(address) {
  const tabs = await worker.clients.matchAll({ type: "window", includeUncontrolled: true });
  const tab = tabs.find(each => new URL(each.url).pathname === address);
  await (tab ? tab.focus() : worker.clients.openWindow(address));
}
