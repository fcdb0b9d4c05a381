// Tells you of your turn: by the title and icon of the tab, and on request by a sound and a notification.
import { $ } from "./drawing.js";
import { isOver, isTurn } from "./people.js";
import { connection, page, toTop } from "./state.js";

const SOUND = "zim-sound";
const icon = document.querySelector("link[rel=icon]"),
  usual = icon.href;
const button = $("notify"),
  speaker = $("sound");
const told = { turn: isTurn(), over: isOver(), moved: false };

/** Whether the server sends Web Push, and this browser supports it. */
const canPush = () => Boolean(button.dataset.pushKey) && "serviceWorker" in navigator && "PushManager" in window;
const mayNotify = () => "Notification" in window && Notification.permission === "granted";
const sounds = () => localStorage.getItem(SOUND) === "on";

/** Shows whether it is your turn, and notifies you if it has just begun. */
export function showTurn() {
  const turn = isTurn(),
    news = turn && !told.turn,
    played = told.turn && !turn;
  if (news || isOver() !== told.over) toTop();
  told.turn = turn;
  told.over = isOver();
  icon.href = turn ? icon.dataset.turn : usual;
  document.body.classList.toggle("my-turn", turn);
  title();
  buttons();
  if (played) elsewhere().catch(() => {}); // only a hint
  if (turn) $("elsewhere").hidden = true;
  if (!news) return;
  if (sounds()) chime();
  if (document.hidden && mayNotify()) notify();
}

/** After your turn, links another game in which it is your turn, by the lobby. */
async function elsewhere() {
  const answer = await fetch("/", { headers: { Accept: "text/html", "Zim-Part": "games" } });
  if (!answer.ok || isTurn()) return;
  const lobby = new DOMParser().parseFromString(await answer.text(), "text/html");
  const [next] = [...lobby.querySelectorAll("#games .turn div a")].filter(
    each => new URL(each.getAttribute("href"), location.href).pathname !== page.here,
  );
  if (!next) return;
  $("elsewhere").href = next.getAttribute("href");
  $("elsewhere").textContent = `Your turn in ${next.querySelector("b").textContent}`;
  $("elsewhere").hidden = false;
}

/** Shows that a move was played: a hidden tab gets a dot in its icon. */
export function tellMove() {
  told.moved = document.hidden;
  title();
}

function title() {
  const mark = told.turn ? "Your turn · " : told.moved ? "• " : "";
  document.title = mark + page.title;
}

function notify() {
  try {
    const notice = new Notification("It is your turn", { body: page.title, tag: page.here });
    notice.onclick = () => {
      focus();
      notice.close();
    };
  } catch {
    /* a phone shows none without a worker, and its pages in the background get no messages */
  }
}

/** Two soft notes. */
function chime() {
  const context = new AudioContext(),
    loudness = context.createGain();
  loudness.connect(context.destination);
  loudness.gain.setValueAtTime(0.08, context.currentTime);
  loudness.gain.exponentialRampToValueAtTime(0.0001, context.currentTime + 0.7);
  for (const [pitch, at] of [
    [523.25, 0],
    [783.99, 0.16],
  ]) {
    const note = context.createOscillator();
    note.frequency.value = pitch;
    note.connect(loudness);
    note.start(context.currentTime + at);
    note.stop(context.currentTime + 0.7);
  }
  setTimeout(() => context.close(), 1000);
}

function buttons() {
  const asked = "Notification" in window ? Notification.permission : "denied";
  button.hidden = isOver() || !button.dataset.plays || asked === "denied" || (asked === "granted" && !canPush());
  button.setAttribute("aria-pressed", String(Boolean(button.dataset.told) && asked === "granted"));
  speaker.hidden = isOver() || !button.dataset.plays;
  speaker.setAttribute("aria-pressed", String(sounds()));
}

/** Shows the bell as off if another browser gets the notices. */
async function bell() {
  if (await import("./push.js").then(push => push.isHere())) return;
  button.dataset.told = "";
  button.title = "Notices go to another browser: have them here instead";
  buttons();
}

export function start() {
  button.onclick = async () => {
    const on = button.getAttribute("aria-pressed") !== "true";
    if ((await Notification.requestPermission()) === "granted" && canPush()) {
      await import("./push.js").then(push => push.tell(on)).catch(error => connection(`no notices: ${error.message}`));
    }
    buttons();
  };
  speaker.onclick = () => {
    localStorage.setItem(SOUND, sounds() ? "off" : "on");
    if (sounds()) chime();
    buttons();
  };
  if (button.dataset.told && canPush()) bell().catch(() => {});
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) told.moved = false;
    title();
  });
  showTurn();
}
