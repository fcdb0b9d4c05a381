// People: by which names the seats of a game are called on this page.
import { $ } from "./drawing.js";

/** @returns {Map<string, string>} who plays, by seat */
export const people = () => new Map([...document.querySelectorAll("#seatbar [data-seat]")].map(each => [each.dataset.seat, each.dataset.by]));

/** Puts people's names where parts that are drawn for everybody have those of their seats. */
export function dress(container) {
  const names = people();
  for (const each of container.querySelectorAll("[data-who]")) {
    const name = names.get(each.dataset.who);
    if (name) each.textContent = name;
  }
}

export const isTurn = () => Boolean($("now")?.dataset.mover);
export const isOver = () => Boolean($("now")?.dataset.over);
