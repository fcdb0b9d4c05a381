// State that all scripts of a game's page share: the game, the viewer and the step that is shown.
import { $ } from "./drawing.js";

const { game, as, line, seat, asks, at } = $("main").dataset;

/** The game, line and viewer of the page: they never change while it is open. */
export const page = Object.freeze({
  game,
  as,
  line,
  seat,
  asks: asks.split(" "),
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

/** An event of the page. Its listeners update their parts, so that the sender need not know them. */
class Signal {
  #listeners = [];

  /** Adds a listener; listeners are called in the order in which they were added. */
  on(listener) {
    this.#listeners.push(listener);
  }

  send(...what) {
    for (const listener of this.#listeners) listener(...what);
  }
}

/** All steps were read, and are in the log. */
export const stepsLoaded = new Signal();
/** The pieces on the board have changed. */
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

/** Adds the seat and the line to links that begin with `?`, in parts that are rendered alike for all viewers. */
export function keepLinks(container) {
  const kept = new URLSearchParams(location.search);
  for (const name of [...kept.keys()]) if (name !== "as" && name !== "line") kept.delete(name);
  if (!kept.size) return;
  for (const link of container.querySelectorAll('a[href^="?"]')) {
    const asked = Object.fromEntries(new URLSearchParams(link.getAttribute("href")));
    link.setAttribute("href", `?${new URLSearchParams({ ...Object.fromEntries(kept), ...asked })}`);
  }
}

/** Shows the panel, and on a phone the page, from its top. */
export function toTop() {
  if (document.activeElement?.matches("input:not(#words-of-move), select, textarea")) return; // typed text stays in view
  $("below").scrollTop = 0;
  scrollTo(0, 0);
}

/** Shows the state of the connection; "" if all is well. */
export function connection(text) {
  $("link-state").textContent = text;
  $("link-state").hidden = !text;
}
