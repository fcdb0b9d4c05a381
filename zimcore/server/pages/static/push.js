// Notices while no page of the game is open: the server is told where the browser subscribed.
import { $ } from "./drawing.js";
import { page } from "./state.js";

const button = $("notify");

/** Asks the server for notices of this game from now on, or for none. */
export async function tell(on) {
  /** @type {Record<string, string>} */
  const fields = on ? await subscription() : {};
  const body = new URLSearchParams({ key: crypto.randomUUID(), as: page.as, kind: on ? "browser" : "", ...fields });
  const answer = await fetch(`${page.here}/notices`, { method: "POST", body, headers: { "Zim-Part": "around" } });
  if (!answer.ok) throw new Error(answer.statusText);
  button.dataset.told = on ? await digest(fields["values.endpoint"]) : "";
}

/** Whether this browser gets the notices: another browser may have the same seat. */
export async function isHere() {
  const worker = await navigator.serviceWorker.getRegistration("/worker.js");
  const found = await worker?.pushManager.getSubscription();
  return found && (await digest(found.endpoint)) === button.dataset.told;
}

/** @param {string} text */
async function digest(text) {
  const found = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
  return Array.from(found, each => each.toString(16).padStart(2, "0")).join("");
}

/** The subscription of this browser, as fields of a form: one for all games. */
async function subscription() {
  const worker = await navigator.serviceWorker.register("/worker.js");
  const old = await worker.pushManager.getSubscription(),
    key = button.dataset.pushKey;
  const fits = old && base64(old.options.applicationServerKey) === key; // otherwise the server has a new key
  if (old && !fits) await old.unsubscribe();
  const found = fits ? old : await worker.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
  const { endpoint, keys } = found.toJSON();
  return { "values.endpoint": endpoint, "values.key": keys.p256dh, "values.auth": keys.auth };
}

/** Bytes as base64 for URLs, without padding. */
function base64(bytes) {
  const text = btoa(String.fromCharCode(...new Uint8Array(bytes)));
  return text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
