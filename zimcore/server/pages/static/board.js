// The board: squares that could be meant are lit, and can be clicked; those that are meant are marked.
import { $, drawn, tip, zoomable } from "./drawing.js";
import { glance } from "./beside.js";
import { canPlay, choose, nextWords, pointed, said, typed } from "./moves.js";
import { state, words } from "./state.js";

const FEW = 12; // legal squares that are lit before anything is said
const board = $("board");

export function lights() {
  if (!board || !state.all) return;
  board.querySelector(".lights")?.remove();
  const lit = new Set(words($("found")?.dataset.lit)), meant = new Set([...typed().toLowerCase().split(/\W+/), ...pointed()].filter(Boolean));
  if (!canPlay() || !typed().trim() && !pointed().length && lit.size > FEW) return;
  const { squares, unit } = state.all;
  const light = (name, x, y) => drawn("rect", { x: x * unit + 1.5, y: y * unit + 1.5, width: unit - 3, height: unit - 3, rx: 6,
    "data-square": name, ...(meant.has(name) && { class: "meant" }) });
  const found = squares.flatMap((row, y) => row.flatMap((name, x) => name && (lit.has(name) || meant.has(name)) ? [light(name, x, y)] : []));
  board.append(drawn("g", { class: "lights" }, ...found.sort((a, b) => a.classList.length - b.classList.length)));
}

export function squareAt(event) {
  const at = zoomed.inBoard(event), { squares, unit } = state.all ?? {};
  return squares?.[Math.floor(at.y / unit)]?.[Math.floor(at.x / unit)] ?? "";
}

function pick(square) { // again, and it is left out
  if (!square) return;
  if (!canPlay()) {
    glance(square);
    return;
  }
  const before = pointed(), squares = before.filter(each => each !== square);
  if (squares.length === before.length) squares.push(square);
  const fitting = nextWords().filter(each => squares.every(name => each.dataset.word.split(/\W+/).includes(name)));
  if (squares.length > before.length && fitting.length === 1 && !$("found").dataset.more) said(fitting[0].dataset.say, squares);
  else choose(typed(), squares);
}

function about(event) {
  const part = event.target.closest("[data-part]")?.dataset.part, what = state.all?.parts[part]?.about ?? "", name = squareAt(event);
  return what && what.startsWith(`${name}: `) ? what : [name, what].filter(Boolean).join(" · ");
}

export const zoomed = board ? zoomable(board, board.getAttribute("viewBox"), about) : null;

export function start() {
  if (!zoomed) return;
  $("zoom").hidden = false;
  let down = null;
  board.addEventListener("pointerdown", event => { down = [event.clientX, event.clientY]; });
  board.addEventListener("click", event => {
    if (!down || Math.hypot(event.clientX - down[0], event.clientY - down[1]) >= 8) return;
    tip(null);
    pick(squareAt(event));
  });
}
