// Moves that were played while you were away are replayed when you open the page, in three seconds, with captions.
import { $ } from "./drawing.js";
import { draw, turnText } from "./steps.js";
import { lastStep, page, state, wait } from "./state.js";

const ALL = 3000; // milliseconds
const still = matchMedia("(prefers-reduced-motion: reduce)");
const name = `zim-seen-${page.game}-${page.line}-${page.seat}`;
let runs = 0;

/** Stores that this viewer has seen the head. */
export function noteSeen() {
  if (page.seat && state.follows && !document.hidden) localStorage.setItem(name, String(lastStep()));
}

/** Replays the moves since the viewer last saw the head. Any key or click ends it. */
export async function replayMissed() {
  const seen = Number(localStorage.getItem(name) ?? lastStep()),
    { steps } = state.all;
  noteSeen();
  if (!page.seat || !state.follows || !state.all.box || seen < 0 || lastStep() - seen < 2) return;
  const mine = ++runs,
    caption = $("caption"),
    end = () => {
      runs++;
    };
  for (const kind of ["pointerdown", "keydown"]) addEventListener(kind, end, { once: true });
  caption.hidden = false;
  for (let at = seen + 1; at <= lastStep() && mine === runs; at++) {
    caption.textContent = turnText(at);
    if (!still.matches) {
      draw(steps[at], steps[at - 1]);
      await wait(ALL / (lastStep() - seen));
    }
  }
  if (!still.matches) draw(steps[state.shown], steps[state.shown - 1]);
  caption.textContent = `${lastStep() - seen} moves since you looked: ${turnText(lastStep())}`;
  await wait(2 * ALL);
  caption.hidden = true;
}
