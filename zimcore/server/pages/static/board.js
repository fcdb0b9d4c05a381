// The board: the squares of possible moves are lit and can be clicked; selected squares are marked.
import { $, drawn, tip, zoomable } from "./drawing.js";
import { glance } from "./beside.js";
import * as inspector from "./inspector.js";
import { canPlay, choose, nextWords, pointed, said, typed } from "./moves.js";
import { NONE, showPayments } from "./payments.js";
import { withNames } from "./people.js";
import { part } from "./requests.js";
import { state, words } from "./state.js";

const FEW = 12; // the most squares that are lit before anything is typed
const HOVER = 120; // milliseconds that a pointer rests on a lit square before its move is shown
const board = $("board");
const hovered = { square: "", later: 0, known: new Map(), head: "" };

export function lights() {
  haunt($("ghost"));
  if (!board || !state.all) return;
  board.querySelector(".lights")?.remove();
  const worth = new Map(words($("found")?.dataset.lit).map((name, at) => [name, $("found").dataset.worth[at]])),
    meant = new Set([...typed().toLowerCase().split(/\W+/), ...pointed()].filter(Boolean));
  if (!canPlay() || (!typed().trim() && !pointed().length && worth.size > FEW)) return;
  const { squares, unit } = state.all;
  const light = (name, x, y) =>
    drawn("rect", {
      x: x * unit + 1.5,
      y: y * unit + 1.5,
      width: unit - 3,
      height: unit - 3,
      rx: 6,
      "data-square": name,
      class: meant.has(name) ? "meant" : `worth${worth.get(name)}`,
    });
  const found = squares.flatMap((row, y) =>
    row.flatMap((name, x) => (name && (worth.has(name) || meant.has(name)) ? [light(name, x, y)] : [])),
  );
  const ghost = board.querySelector(".ghost"); // its result and payments are drawn over the lit squares
  board.insertBefore(
    drawn("g", { class: "lights" }, ...found.sort((a, b) => Number(a.matches(".meant")) - Number(b.matches(".meant")))),
    ghost,
  );
}

/** Shows what a move would add to the board, with its result beside it, and who would be paid. */
function haunt(source) {
  board?.querySelector(".ghost")?.remove();
  if (!source || !canPlay()) {
    showPayments(NONE);
    return;
  }
  const { seat, hand, transfers } = source.dataset;
  showPayments({ seat, hand: JSON.parse(hand), transfers: JSON.parse(transfers) });
  if (!board) return;
  const ghost = drawn("g", { class: "ghost" });
  ghost.innerHTML = source.innerHTML;
  board.append(ghost);
}

/** Shows the move of the lit square under a resting mouse, if there is only one. */
function hover(event) {
  const square = event.pointerType === "mouse" && canPlay() && board.querySelector(".lights") ? squareAt(event) : "";
  if (square === hovered.square) return;
  hovered.square = square;
  clearTimeout(hovered.later);
  const lit = [...board.querySelectorAll(".lights rect")].some(each => each.dataset.square === square);
  if (!lit) {
    haunt($("ghost"));
    return;
  }
  hovered.later = setTimeout(
    () =>
      preview(square)
        .then(found => {
          if (hovered.square === square) haunt(found ?? $("ghost"));
        })
        .catch(() => {}),
    HOVER,
  );
}

async function preview(square) {
  const head = $("now").dataset.head,
    squares = [...pointed(), square];
  if (hovered.head !== head) hovered.known.clear();
  hovered.head = head;
  const asked = `${typed()}\n${squares}`;
  if (!hovered.known.has(asked)) {
    const answer = await part("act", { say: typed(), square: squares.join(" ") });
    if (!answer.ok) return null;
    hovered.known.set(asked, new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("ghost"));
  }
  return hovered.known.get(asked);
}

export function squareAt(event) {
  const at = zoomed.inBoard(event),
    { squares, unit } = state.all ?? {};
  return squares?.[Math.floor(at.y / unit)]?.[Math.floor(at.x / unit)] ?? "";
}

export function pick(square) {
  // again, and it is left out
  if (!square) return;
  if (!canPlay()) {
    glance(square);
    return;
  }
  const before = pointed(),
    squares = before.filter(each => each !== square);
  if (squares.length === before.length) squares.push(square);
  const fitting = nextWords().filter(each => squares.every(name => each.dataset.word.split(/\W+/).includes(name)));
  if (squares.length > before.length && fitting.length === 1 && !$("found").dataset.more)
    said(fitting[0].dataset.say, squares);
  else choose(typed(), squares);
}

function about(event) {
  if (board.querySelector(".ghost")) return ""; // its figures stand there
  const part = event.target.closest("[data-part]")?.dataset.part,
    what = withNames(state.all?.parts[part]?.about ?? ""),
    name = squareAt(event);
  return what && what.startsWith(`${name}: `) ? what : [name, what].filter(Boolean).join(" · ");
}

export const zoomed = board ? zoomable(board, board.getAttribute("viewBox"), about) : null;

export function start() {
  // A hand lies there also in games without a board
  $("beside").addEventListener("click", event => {
    const card = event.target.closest("a[data-card]");
    if (!card || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    pick(card.dataset.card);
  });
  if (!zoomed) return;
  $("zoom").hidden = false;
  let down = null;
  inspector.start(squareAt);
  board.addEventListener("pointermove", hover);
  board.addEventListener("pointerleave", hover);
  board.addEventListener("pointerdown", event => {
    down = [event.clientX, event.clientY];
  });
  board.addEventListener("click", event => {
    if (inspector.wasHeld() || !down || Math.hypot(event.clientX - down[0], event.clientY - down[1]) >= 8) return;
    tip(null);
    pick(squareAt(event));
  });
}
