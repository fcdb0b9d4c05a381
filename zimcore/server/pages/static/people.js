// The names of the players, which the page shows instead of their seats.
import { $ } from "./drawing.js";
import { state } from "./state.js";

/** @returns {Map<string, string>} who plays, by seat */
export const people = () =>
  new Map([...document.querySelectorAll("#seatbar [data-seat]")].map(each => [each.dataset.seat, each.dataset.by]));

/** Replaces seats by the names of their players, in parts that are rendered alike for all viewers. */
export function dress(container) {
  const names = people();
  for (const each of container.querySelectorAll("[data-who]")) {
    const name = names.get(each.dataset.who);
    if (name) each.textContent = name;
  }
  for (const row of container.querySelectorAll("tr[data-seat]")) {
    const name = names.get(row.dataset.seat),
      text = row.cells[0].lastChild;
    if (name && text?.nodeValue?.trim() === row.dataset.seat.replaceAll("_", " ")) text.nodeValue = name;
  }
  const prose = [...container.querySelectorAll(".facts li, .text, td + td")].flatMap(each => [...each.childNodes]);
  for (const each of prose) if (each.nodeType === Node.TEXT_NODE) each.nodeValue = withNames(each.nodeValue, names);
}

/** A fact with the names of players in the place of their seats, where each name means one of them. */
function withNames(text, people) {
  const named = [...people].filter(([, name]) => name),
    names = new Map(named),
    all = new Set(names.values());
  if (!named.length || all.size < named.length || [...people.keys()].some(seat => all.has(seat))) return text;
  return text.replace(/(?<![\w@-])\w+(?![\w@-])/g, word => names.get(word) ?? word);
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
