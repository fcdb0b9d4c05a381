// Its turn: in the title and the icon of the tab, by a sound and by the browser where that was asked for.
import { $ } from "./drawing.js";
import { isOver, isTurn } from "./people.js";
import { connection, page } from "./state.js";

const SOUND = "zim-sound";
const icon = document.querySelector("link[rel=icon]"),
  usual = icon.href;
const button = $("notify"),
  speaker = $("sound");
const told = { turn: isTurn(), moved: false };

/** Whether the server sends notices to a page that is closed, and this browser takes them. */
const canPush = () => Boolean(button.dataset.pushKey) && "serviceWorker" in navigator && "PushManager" in window;
const mayNotify = () => "Notification" in window && Notification.permission === "granted";
const sounds = () => localStorage.getItem(SOUND) === "on";

/** Shows whether it is one's turn; and tells of it where it has just come. */
export function showTurn() {
  const turn = isTurn(),
    news = turn && !told.turn,
    played = told.turn && !turn;
  told.turn = turn;
  icon.href = turn ? icon.dataset.turn : usual;
  document.body.classList.toggle("my-turn", turn);
  title();
  buttons();
  if (played) elsewhere().catch(() => {}); // a hint at best
  if (turn) $("elsewhere").hidden = true;
  if (!news) return;
  if (sounds()) chime();
  if (document.hidden && mayNotify()) notify();
}

/** Once one's turn is over: another game in which it is one's turn, as the lobby has it. */
async function elsewhere() {
  const answer = await fetch("/", { headers: { Accept: "text/html", "Zim-Part": "games" } });
  if (!answer.ok || isTurn()) return;
  const lobby = new DOMParser().parseFromString(await answer.text(), "text/html");
  const [next] = lobby.querySelectorAll("#games .turn div a");
  if (!next) return;
  $("elsewhere").href = next.getAttribute("href");
  $("elsewhere").textContent = `Your turn in ${next.querySelector("b").textContent}`;
  $("elsewhere").hidden = false;
}

/** Says that something was played: a tab that nobody looks at has a dot. */
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
    /* a phone shows none without a worker; and no page in its background hears of a move */
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

/** A bell that was set in another browser is not set in this one. */
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
