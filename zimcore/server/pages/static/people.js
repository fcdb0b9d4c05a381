// The names of the players, which the page shows instead of their seats.
import { $ } from "./drawing.js";
import { state } from "./state.js";

/** @returns {Map<string, string>} who plays, by seat */
export const people = () =>
  new Map([...document.querySelectorAll("#seatbar [data-seat]")].map(each => [each.dataset.seat, each.dataset.by]));

const raw = new WeakMap(); // the text of each node as it came: names in it may be those of other seats

function name(node, names) {
  if (!raw.has(node)) raw.set(node, node.nodeValue);
  node.nodeValue = withNames(raw.get(node), names);
}

/** Replaces seats by the names of their players, in parts that are rendered alike for all viewers. */
export function dress(container) {
  const names = people();
  for (const each of container.querySelectorAll("[data-who]")) {
    const name = names.get(each.dataset.who);
    if (name) each.textContent = name;
  }
  const prose = [...container.querySelectorAll(".facts li, .text, td")].flatMap(each => [...each.childNodes]);
  for (const each of prose) if (each.nodeType === Node.TEXT_NODE) name(each, names);
}

const spaced = seat => seat.replaceAll("_", " ");
const titled = seat => spaced(seat).replace(/\b\w/g, letter => letter.toUpperCase());
const quoted = text => text.replace(/[^\w ]/g, "\\$&");

/** A text with the names of players in the place of their seats: `with_names` of the server. */
export function withNames(text, names = people()) {
  const words = new Map([...names].flatMap(([seat, by]) => [seat, spaced(seat), titled(seat)].map(word => [word, by])));
  if (!words.size) return text;
  const seats = new RegExp(`(?<![\\w@-])(${[...words.keys()].map(quoted).join("|")})(?![\\w@-])`, "g");
  return text.replace(seats, word => words.get(word));
}

const still = matchMedia("(prefers-reduced-motion: reduce)");

/** Lets a figure that has changed slide to its place: from above if it has grown. */
function slide(place, by) {
  if (!by || still.matches) return;
  place.animate([{ transform: `translateY(${by > 0 ? -60 : 60}%)` }, { transform: "none" }], {
    duration: 600,
    easing: "ease-out",
  });
}

/** Shows the players' figures after a step, who is to move then, and what the step has changed. */
export function showSeats(step, before = step) {
  const seats = [...document.querySelectorAll("#seatbar [data-seat]")],
    most = Math.max(1, ...step.figures.flatMap(figures => figures.slice(0, 2)));
  const goal = document.querySelector("#seatbar .goal") !== null;
  const scale = goal ? most : Math.max(1, ...step.figures.map(figures => figures[0]));
  seats.forEach((place, at) => {
    const figures = step.figures[at],
      moves = step.to_move.includes(place.dataset.seat);
    for (const each of place.querySelectorAll("[data-figure]")) {
      const value = figures[each.dataset.figure],
        was = before.figures[at][each.dataset.figure];
      each.textContent = value ?? "?";
      const label = state.all.series[each.dataset.figure];
      each.nextSibling.nodeValue = ` ${value === 1 ? label.replace(/s$/, "") : label}`;
      slide(each, (value ?? NaN) - (was ?? NaN)); // a hidden figure does not slide
    }
    place.querySelector(".done").setAttribute("d", `M0 4H${(100 * Math.max(0, figures[0] ?? 0)) / scale}`);
    place.querySelector(".goal")?.setAttribute("d", `M${(100 * (figures[1] ?? 0)) / scale} 0V8`);
    place.classList.toggle("to-move", moves);
    place.querySelector(".turn-said").textContent = moves ? "to move" : "";
  });
}

export const isTurn = () => Boolean($("now")?.dataset.mover);
export const isOver = () => Boolean($("now")?.dataset.over);
