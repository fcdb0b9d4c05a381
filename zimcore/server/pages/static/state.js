// What all parts of the page of a game know: which game it is, for whom, and where one looks.
import { $ } from "./drawing.js";

const { game, as, line, seat, at } = $("main").dataset;

/** Whose page of which game this is: it stays so as long as the page is open. */
export const page = Object.freeze({
  game,
  as,
  line,
  seat,
  here: `/games/${encodeURIComponent(game)}`,
  title: document.title,
});

/**
 * Who paid whom; "" for no seat, null for a hidden amount.
 * @typedef {{ source: string, target: string, amount: number | null, what: string }} Transfer
 *
 * A position: the numbers of the parts of its `drawing` and of its `frame`, its HTML in the log (`entry`) and beside
 * the board (`side`), each seat's figures.
 * @typedef {{ number: number, seat: string, digest: string, parent: string, status: string, round: string,
 *   marks: string[], figures: (number | null)[][], drawing: number[], frame: number[], side: string,
 *   entry: string, to_move: string[], transfers: Transfer[] }} Step
 *
 * All steps of a line, and the `parts` that they are drawn with.
 * @typedef {{ box: string, unit: number, squares: string[][], seats: { name: string, colour: string }[],
 *   series: string[], parts: Record<number, { drawing: string, about: string }>, steps: Step[] }} Steps
 */

/**
 * What changes: the steps of the line (null until they are loaded), the one that is `shown`, and whether the board
 * `follows` the game.
 * @type {{ all: Steps | null, shown: number, follows: boolean }}
 */
export const state = { all: null, shown: -1, follows: at === "" };

/** Something that happens on the page: parts that show it listen, so that what makes it happen need not know them. */
class Signal {
  #listeners = [];

  /** Calls a function from now on; those that listen are called in the order in which they came. */
  on(listener) {
    this.#listeners.push(listener);
  }

  send(...what) {
    for (const listener of this.#listeners) listener(...what);
  }
}

/** All steps were read, and stand in the log. */
export const stepsLoaded = new Signal();
/** Other pieces stand on the board. */
export const boardDrawn = new Signal();
/** A step is shown: its number. */
export const stepShown = new Signal();
/** What can be played now has been read anew. */
export const choicesRead = new Signal();

/** @returns {URLSearchParams} a query about this line, with `more` in it */
export const query = more => new URLSearchParams({ ...(page.as && { as: page.as }), line: page.line, ...more });

export const wait = milliseconds => new Promise(done => setTimeout(done, milliseconds));
export const lastStep = () => state.all.steps.length - 1;
export const words = text => (text ?? "").split(" ").filter(Boolean);

/** Parts that are drawn for everybody have links that begin with `?`: they keep as whom one looks, and on which line. */
export function keepLinks(container) {
  const kept = new URLSearchParams(location.search);
  for (const name of [...kept.keys()]) if (name !== "as" && name !== "line") kept.delete(name);
  if (!kept.size) return;
  for (const link of container.querySelectorAll('a[href^="?"]')) {
    const asked = Object.fromEntries(new URLSearchParams(link.getAttribute("href")));
    link.setAttribute("href", `?${new URLSearchParams({ ...Object.fromEntries(kept), ...asked })}`);
  }
}

/** Says how the connection is; "" where all is well. */
export function connection(text) {
  $("link-state").textContent = text;
  $("link-state").hidden = !text;
}
