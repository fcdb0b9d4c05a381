// Steps through a game: the board and the panels beside it after each move.
import { $, drawn, element } from "./drawing.js";
import { slidePayments } from "./payments.js";
import { dress, people, showSeats, withNames } from "./people.js";
import { request } from "./requests.js";
import { boardDrawn, keepLinks, lastStep, page, query, state, stepShown, stepsLoaded } from "./state.js";

const pieces = new Map(); // each part is parsed once, as few change from step to step
const main = $("main");
let named = 0;

/** Reads all steps; later ones come by the feed. */
export async function load() {
  const answer = await request(`${page.here}/steps?${query()}`);
  if (!answer.ok) throw new Error(answer.statusText);
  state.all = await answer.json();
  const names = [...people().values()]; // in the order of the seats
  state.all.seats.forEach((seat, at) => (seat.name = names[at] ?? seat.name));
  const shown = state.follows ? lastStep() : Math.min(Math.max(state.shown, 0), lastStep());
  $("log").innerHTML = state.all.steps.map(entry).join("");
  keepLinks($("log"));
  dress($("log"));
  stepsLoaded.send();
  $("steps").hidden = false;
  state.shown = -1;
  if (main.dataset.at === "") show(wanted() ?? shown);
  else {
    show(Number(main.dataset.at));
    main.dataset.at = "";
  }
}

const escaped = text => text.replace(/[&<>]/g, char => `&#${char.charCodeAt()};`);
const entry = step =>
  (firstOfTurn(step.number) < step.number ? step.entry.replace("<li", '<li class="goes-on"') : step.entry) +
  (step.round ? `<li class="round">${escaped(step.round)}</li>` : "");

/** Adds a step that was just played to the log. */
export function append(step) {
  $("log").insertAdjacentHTML("beforeend", entry(step));
  keepLinks($("log").lastElementChild);
  for (const added of [...$("log").children].slice(-2)) {
    keepLinks(added);
    dress(added);
  }
}

/** The step that the address names, by a mark or by its number; null if it names none. */
export function wanted() {
  let name = location.hash.slice(1);
  try {
    name = decodeURIComponent(name);
  } catch {
    /* an address can be typed: it may name no step */
  }
  const marked = state.all.steps.findIndex(step => step.marks.includes(name));
  if (marked >= 0) return marked;
  return /^[0-9]+$/.test(name) ? Number(name) : null;
}

export function show(number) {
  if (!state.all) return;
  number = Math.max(0, Math.min(lastStep(), number));
  state.follows = number === lastStep();
  const step = state.all.steps[number],
    before = state.all.steps[state.shown];
  const other = number !== state.shown;
  state.shown = number;
  if (other) draw(step, before);
  const status = withNames(step.status);
  $("status").textContent = state.follows ? status : `looking back · ${status}`;
  $("where").textContent = state.follows ? `${number}` : `${number} of ${lastStep()}`;
  $("slider").max = lastStep();
  $("slider").value = number;
  $("slider").setAttribute("aria-valuetext", `move ${number} of ${lastStep()}: ${moveText(number)}`);
  document.body.classList.toggle("looking", !state.follows);
  $("log").querySelector("a[aria-current]")?.removeAttribute("aria-current");
  $("log").querySelector(`a[data-step="${number}"]`).setAttribute("aria-current", "step");
  reveal();
  for (const cursor of document.querySelectorAll("#graphs .now"))
    cursor.setAttribute("transform", `translate(${number} 0)`);
  stepShown.send(number);
  clearTimeout(named); // browsers limit how often the address changes
  named = setTimeout(
    () => history.replaceState(null, "", `${location.pathname}${search()}${state.follows ? "" : `#${number}`}`),
    200,
  );
}

export function reveal() {
  // scrollIntoView would scroll the page, too
  const log = $("log"),
    frame = log.getBoundingClientRect();
  const at = log.querySelector("a[aria-current]")?.getBoundingClientRect();
  if (!at || (at.top >= frame.top && at.bottom <= frame.bottom)) return;
  log.scrollTop += at.top - frame.top - (state.follows ? log.clientHeight - at.height : log.clientHeight / 2);
}

function search() {
  const left = new URLSearchParams(location.search);
  for (const name of ["at", "here", "say", "square", "why", "ask", "back", "instead"]) left.delete(name);
  return left.size ? `?${left}` : "";
}

export function draw(step, before) {
  if (state.all.box) {
    const known = new Set(before?.drawing);
    const changed = before && step.number === before.number + 1;
    exchange($("board"), [...step.drawing.map(part => piece(part, changed && !known.has(part))), frames()]);
    boardDrawn.send();
    if ($("words")?.open) inWords();
  }
  side(step);
  const isNext = step.number === before?.number + 1;
  showSeats(step, isNext ? before : step);
  slidePayments(isNext ? step.transfers : []);
}

/** Shows the figures beside the board; a focused figure keeps the focus. */
function side(step) {
  const tables = $("tables"),
    open = new Map([...tables.querySelectorAll("details")].map(each => [each.dataset.table, each.open]));
  const focused = tables.contains(document.activeElement)
    ? (document.activeElement.getAttribute("href") ?? document.activeElement.closest("[data-table]")?.dataset.table)
    : null;
  tables.innerHTML = step.side;
  keepLinks(tables);
  dress(tables);
  for (const row of tables.querySelectorAll(":scope > table tr[data-seat]"))
    if (page.seat && row.dataset.seat === page.seat) {
      row.className = "mine";
      row.cells[0].append(" ", element("small", { textContent: "you" }));
    }
  for (const each of tables.querySelectorAll("details")) each.open = open.get(each.dataset.table) ?? each.open;
  if (focused === null) return;
  const again = [...tables.querySelectorAll("a[href]")].find(each => each.getAttribute("href") === focused);
  (
    again ??
    [...tables.querySelectorAll("details")].find(each => each.dataset.table === focused)?.querySelector("summary")
  )?.focus({ preventScroll: true });
}

// Few pieces change from move to move; those that stay are not laid out and painted again
function exchange(parent, wanted) {
  const kept = new Set(wanted);
  for (const each of [...parent.children]) if (!kept.has(each)) each.remove();
  let at = parent.firstElementChild;
  for (const each of wanted)
    if (each === at) at = at.nextElementSibling;
    else parent.insertBefore(each, at);
}

function piece(part, isNew) {
  if (!pieces.has(part)) {
    const made = drawn("g", { "data-part": part });
    made.innerHTML = state.all.parts[part].drawing;
    pieces.set(part, made);
  }
  pieces.get(part).classList.toggle("new", Boolean(isNew && state.all.parts[part].about)); // not ground and arrows
  return pieces.get(part);
}

/** The frames of the moves since your own last one; for spectators, of the last turn. */
function frames() {
  const { steps, parts } = state.all,
    marked = steps.slice(firstMarked(), state.shown + 1).flatMap(step => step.frame);
  const found = drawn("g", { class: "marks" });
  found.innerHTML = [...new Set(marked)].map(part => parts[part].drawing).join("");
  return found;
}

function firstMarked() {
  const { steps } = state.all,
    who = steps[state.shown].seat;
  let first = state.shown;
  if (page.seat && who !== page.seat) {
    while (first > 0 && steps[first].seat !== page.seat) first--;
    if (first > 0) return first + 1;
    first = state.shown; // you have not played yet
  }
  while (first > 1 && steps[first - 1].seat === who) first--;
  return first;
}

export function inWords() {
  const told = state.all.steps[Math.max(state.shown, 0)].drawing
    .map(part => withNames(state.all.parts[part].about))
    .filter(Boolean);
  $("words")
    .querySelector("ul")
    .replaceChildren(...told.map(text => element("li", { textContent: text })));
}

/** A move as the log has it. */
function told(number) {
  const entry = $("log").querySelector(`a[data-step="${number}"] .text`)?.cloneNode(true);
  for (const each of entry?.querySelectorAll(".notation, .mark, svg, [data-who]") ?? []) each.remove();
  return entry?.textContent.trim() ?? "";
}

const whoPlayed = number => $("log").querySelector(`a[data-step="${number}"] [data-who]`)?.textContent ?? "";

/** A move in plain words, with who played it. */
export const moveText = number => `${whoPlayed(number)} ${told(number)}`.trim();

/** The first move of the turn that a move belongs to. */
export function firstOfTurn(number) {
  const { steps } = state.all,
    { seat } = steps[number];
  let first = number;
  while (first > 1 && steps[first - 1].seat === seat && !steps[first - 1].round) first--;
  return first;
}

/** The turn of a move, up to that move, in plain words: who played, and what. */
export function turnText(number) {
  const { steps } = state.all,
    first = firstOfTurn(number);
  const moves = steps.slice(first, number + 1).map(step => told(step.number));
  const said = moves.filter((text, at) => at === 0 || !text.startsWith("ends the turn"));
  return `${whoPlayed(number)} ${said.join(", ")}`.trim();
}

export function nextRound(way) {
  const { steps } = state.all;
  for (let at = state.shown + way; at >= 0 && at <= lastStep(); at += way) if (steps[at].round) return at;
  return way < 0 ? 0 : lastStep();
}
