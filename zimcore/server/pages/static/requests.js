// Requests to the server: each is repeated until it is answered, or until a newer one replaces it.
import { connection, page, query, wait } from "./state.js";

const BUSY_AFTER = 200, // milliseconds
  FIRST = 500,
  LONGEST = 15000,
  TOO_MANY = 429,
  BUSY = 503;
let waiting = 0;
const pending = new Map(); // by name: the newest request, its work, and whether it waits after a failure

/**
 * The server's answer, after the wait that it asks for. A failure of the server, or of a proxy in front of it, counts
 * as a lost connection.
 */
export async function request(address, options = {}) {
  const answer = await busily(() => fetch(address, options));
  if (answer.status === TOO_MANY || answer.status === BUSY) {
    connection("too much at once; trying again");
    await wait(1000 * (Number(answer.headers.get("Retry-After")) || 1));
    connection("");
    return request(address, options);
  }
  if (answer.status >= 500) throw new Error(`${answer.status} ${answer.statusText}`);
  return answer;
}

/** Waits for an answer; the page looks busy while it takes long. */
async function busily(work) {
  waiting++;
  setTimeout(() => document.body.classList.toggle("busy", waiting > 0), BUSY_AFTER);
  try {
    return await work();
  } finally {
    waiting--;
    if (!waiting) document.body.classList.remove("busy");
  }
}

/** Asks for a part of the page. */
export const part = (name, more = {}) => request(`${page.here}?${query(more)}`, { headers: { "Zim-Part": name } });

/** Sends a form, with the value of the button that was pressed; the answer is that part of the page. */
export function sendForm(form, name, button) {
  const body = new URLSearchParams(/** @type {any} */ (new FormData(form)));
  if (button?.name) body.set(button.name, button.value);
  return request(form.action, { method: "POST", body, headers: { "Zim-Part": name } });
}

/**
 * Runs work that sends requests, and runs it again after a lost connection. Newer work of the same name replaces it.
 * @param {string} name
 * @param {() => Promise<any>} work
 * @param {() => void} failed called after each failure
 */
export async function persist(name, work, failed = () => {}) {
  const question = { again: () => {}, waits: false };
  pending.set(name, question);
  for (let pause = FIRST; ; pause = Math.min(2 * pause, LONGEST)) {
    try {
      const found = await work();
      if (pending.get(name) === question) pending.delete(name);
      if (!pending.size) connection("");
      return found;
    } catch (error) {
      console.warn(name, error);
      if (pending.get(name) !== question) return undefined;
      question.waits = true;
      connection("not connected; trying again");
      failed();
    }
    await Promise.race([
      wait(pause),
      new Promise(done => {
        question.again = () => done(undefined);
        addEventListener("online", question.again, { once: true });
      }),
    ]);
    if (pending.get(name) !== question) return undefined; // a newer request has replaced it
    question.waits = false;
  }
}

/** Repeats all failed requests, now that the server is back. */
export function askAgain() {
  for (const { again, waits } of pending.values()) if (waits) again();
}
