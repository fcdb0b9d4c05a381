// Moves of others are shown one step at a time, each with its sentence.
import { $, element } from "./drawing.js";
import { isOver, isTurn } from "./people.js";
import { draw, firstOfTurn, turnText } from "./steps.js";
import { lastStep, page, state, wait } from "./state.js";

const STEP = 900, // milliseconds for each step
  ALL = 6000, // for all of them
  LISTED = 12; // steps listed beside the board
const still = matchMedia("(prefers-reduced-motion: reduce)");
const name = `zim-seen-${page.game}-${page.line}-${page.seat}`;
const run = { skips: () => {}, isSkipped: false, later: 0 };

/** Stores that this viewer has seen the head. */
export function noteSeen() {
  if (page.seat && state.follows && !document.hidden) localStorage.setItem(name, String(lastStep()));
}

/** Shows a sentence over the board for so long. */
function caption(text, time) {
  $("caption").textContent = text;
  $("caption").hidden = false;
  clearTimeout(run.later);
  run.later = setTimeout(() => {
    $("caption").hidden = true;
  }, time);
}

/** Shows the sentence of a step over the board, and waits until it was read, or until any key or click. */
async function tell(number, count) {
  if (run.isSkipped) return;
  caption(turnText(number), 3 * STEP);
  await Promise.race([wait(Math.min(STEP, ALL / count)), new Promise(done => (run.skips = () => done(undefined)))]);
}

/** Waits after a step of another player, while `waiting` more have come, so that you see each of them. */
export async function paced(step, waiting) {
  if (!waiting) run.isSkipped = false;
  since();
  if (!page.seat || step.seat === page.seat || !state.follows || document.hidden || still.matches) return;
  await tell(step.number, waiting + 1);
}

/** Replays the moves since the viewer last saw the head. Any key or click ends it. */
export async function replayMissed() {
  const seen = Number(localStorage.getItem(name) ?? lastStep()),
    { steps } = state.all;
  noteSeen();
  since();
  if (!page.seat || !state.follows || !state.all.box || seen < 0 || lastStep() - seen < 2) return;
  run.isSkipped = still.matches;
  const count = lastStep() - seen;
  for (let at = seen + 1; at <= lastStep() && !run.isSkipped; at++) {
    draw(steps[at], steps[at - 1]);
    await tell(at, count);
  }
  run.isSkipped = false;
  draw(steps[state.shown], steps[state.shown - 1]);
  caption(`${count} moves since you looked: ${turnText(lastStep())}`, ALL);
}

/** Lists the turns of others since your last move, beside the board. */
export function since() {
  if (!state.all) return;
  const { steps } = state.all;
  let first = steps.length;
  while (first > 1 && steps[first - 1].seat !== page.seat && steps.length - first < LISTED) first--;
  const ends = steps.slice(first).filter(({ number }) => number === lastStep() || firstOfTurn(number + 1) > number);
  const links = ends.map(({ number }) => {
    const link = element("a", { href: `?at=${number}`, textContent: turnText(number) });
    link.dataset.step = String(number);
    return element("li", {}, link);
  });
  $("since").hidden = !page.seat || isTurn() || isOver();
  const list = $("since").querySelector("ol");
  list.replaceChildren(...links);
  list.scrollTop = list.scrollHeight;
}

function skip() {
  run.isSkipped = true;
  run.skips();
}
for (const kind of ["pointerdown", "keydown"]) addEventListener(kind, skip);
