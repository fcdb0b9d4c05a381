// The inspector: what is within reach of the square under the pointer, by the overlays of the game.
import { $, drawn, tip } from "./drawing.js";
import { request } from "./requests.js";
import { page, query, state, stepShown, words } from "./state.js";

const LONG = 500; // milliseconds of a long press
const REST = 80; // milliseconds that a pointer rests before its square is inspected
const board = $("board"),
  overlays = words(board?.dataset.overlays);
const known = new Map(); // drawings, by address
const at = { name: "", square: "", later: 0, press: 0, held: false };

/** Whether the last press was a long one: its end is no click. */
export const wasHeld = () => at.held;

function clear() {
  board.querySelector(".inspected")?.remove();
  $("caption").hidden = true;
  at.square = "";
}

async function inspect(name, square) {
  if (!square || (at.square === square && board.querySelector(".inspected"))) return;
  at.square = square;
  const address = `${page.here}/overlay?${query({ ask: `${name} ${square}`, at: state.follows ? "" : state.shown })}`;
  const key = `${state.all.steps[state.shown].digest} ${name} ${square}`;
  if (!known.has(key)) {
    const answer = await request(address);
    known.set(key, answer.ok ? await answer.json() : { title: "", drawing: "" });
  }
  if (at.square !== square) return; // the pointer has gone on
  const { title, drawing } = known.get(key);
  board.querySelector(".inspected")?.remove();
  const layer = drawn("g", { class: "inspected" });
  layer.innerHTML = drawing;
  board.append(layer);
  $("caption").textContent = title;
  $("caption").hidden = !title;
  tip(null);
}

/** Shows the next overlay for squares that are pointed at; after the last one, none. */
export function next() {
  if (!overlays.length) return;
  at.name = overlays[overlays.indexOf(at.name) + 1] ?? "";
  $("inspect").textContent = (at.name || overlays[0]).replaceAll("_", " ");
  $("inspect").setAttribute("aria-pressed", String(Boolean(at.name)));
  clear();
}

export function start(squareAt) {
  if (!overlays.length) return;
  const look = (name, event) => inspect(name, squareAt(event)).catch(() => {});
  $("inspect").hidden = false;
  $("inspect").textContent = overlays[0];
  $("inspect").onclick = next;
  stepShown.on(clear);
  board.addEventListener("pointermove", event => {
    clearTimeout(at.later);
    if (at.name) at.later = setTimeout(look, REST, at.name, event);
    if (Math.hypot(event.movementX, event.movementY) > 4) clearTimeout(at.press);
  });
  board.addEventListener("pointerdown", event => {
    if (at.held) clear();
    at.held = false;
    if (event.pointerType === "mouse") return;
    at.press = setTimeout(() => {
      at.held = true;
      look(at.name || overlays[0], event);
    }, LONG);
  });
  for (const kind of ["pointerup", "pointercancel"]) board.addEventListener(kind, () => clearTimeout(at.press));
  board.addEventListener("pointerleave", () => {
    if (!at.held) clear();
  });
  board.addEventListener("contextmenu", event => {
    event.preventDefault();
    at.held = true;
    look(at.name || overlays[0], event);
  });
}
