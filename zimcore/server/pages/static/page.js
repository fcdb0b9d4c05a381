// The page of a game: steps through it, follows it as it is played, and narrows down what can be played.
import * as beside from "./beside.js";
import * as board from "./board.js";
import * as course from "./course.js";
import { $, tip } from "./drawing.js";
import { next as inspectNext } from "./inspector.js";
import * as feed from "./feed.js";
import * as judgement from "./judgement.js";
import * as moves from "./moves.js";
import * as payments from "./payments.js";
import * as people from "./people.js";
import * as missed from "./replay.js";
import * as requests from "./requests.js";
import { inWords, nextRound, reveal, show, wanted } from "./steps.js";
import { boardDrawn, choicesRead, lastStep, state, stepShown, stepsLoaded } from "./state.js";
import * as turn from "./turn.js";

void [missed, payments, people, requests]; // imported here, so that the browser loads all scripts at once

stepsLoaded.on(judgement.marks);
boardDrawn.on(board.lights);
stepShown.on(course.pointAt);
stepShown.on(judgement.drawBetter);
stepShown.on(beside.lookAt);
choicesRead.on(board.lights);
choicesRead.on(beside.chosen);
choicesRead.on(missed.since);
choicesRead.on(() => judgement.judge().catch(() => {}));

const to = {
  first: () => show(0),
  back: () => show(state.shown - 1),
  next: () => show(state.shown + 1),
  last: () => show(lastStep()),
};
const { zoomed } = board;
const sizes = zoomed ? { closer: zoomed.closer, further: zoomed.further, whole: zoomed.whole } : {};
for (const [id, does] of Object.entries({ ...to, ...sizes })) $(id).onclick = does;
$("slider").oninput = event => show(Number(event.target.value));
$("words")?.addEventListener("toggle", () => state.all && inWords());
document.addEventListener("click", event => {
  const link = event.target.closest("a[data-step]");
  if (!link || !state.all || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  show(Number(link.dataset.step));
});
const keys = {
  ArrowLeft: to.back,
  ArrowRight: to.next,
  Home: to.first,
  End: to.last,
  ArrowUp: () => show(nextRound(-1)),
  ArrowDown: () => show(nextRound(1)),
  "+": sizes.closer,
  "-": sizes.further,
  0: sizes.whole,
  ".": inspectNext,
};
addEventListener("keydown", event => {
  if (
    event.defaultPrevented ||
    event.ctrlKey ||
    event.altKey ||
    event.metaKey ||
    event.target.closest("input, #act, #found, details")
  )
    return;
  const does = keys[event.key];
  if (!does || !state.all) return;
  event.preventDefault();
  does();
});
addEventListener("resize", reveal);
addEventListener("resize", course.fit);
addEventListener("hashchange", () => state.all && show(wanted() ?? (location.hash ? state.shown : lastStep())));
addEventListener("pointerdown", event => {
  if (!event.target.closest("#board")) tip(null);
});
const notation = $("notation");
const showNotation = on => {
  document.body.classList.toggle("notated", on);
  notation.setAttribute("aria-pressed", String(on));
};
notation.hidden = false;
showNotation(localStorage.getItem("zim-notation") === "on");
notation.onclick = () => {
  const on = notation.getAttribute("aria-pressed") !== "true";
  localStorage.setItem("zim-notation", on ? "on" : "off");
  showNotation(on);
};
board.start();
beside.start();
turn.start();
moves.start();
feed.start();
