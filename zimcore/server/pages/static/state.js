// What all parts of the page of a game know: which game it is, for whom, and where one looks.
import { $ } from "./drawing.js";

const { game, as, line, seat, at } = $("main").dataset;

/** Whose page of which game this is: it stays so as long as the page is open. */
export const page = Object.freeze({ game, as, line, seat, here: `/games/${encodeURIComponent(game)}`, title: document.title });

/**
 * What changes: all `steps` of the line and the `parts` they are drawn with (null until they are loaded), the step that
 * is `shown`, and whether the board `follows` the game.
 * @type {{ all: any, shown: number, follows: boolean }}
 */
export const state = { all: null, shown: -1, follows: at === "" };

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
