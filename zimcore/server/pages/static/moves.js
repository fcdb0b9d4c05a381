// The menu of moves: the server narrows it down, word by word. Answers to text that has changed are dropped.
import { $ } from "./drawing.js";
import { part, persist, sendForm } from "./requests.js";
import { show } from "./steps.js";
import { choicesRead, connection, keepLinks, lastStep, state, words } from "./state.js";
import { isTurn } from "./people.js";

export const typed = () => $("words-of-move")?.value ?? "";
export const pointed = () => words($("found")?.dataset.squares); // the server drops squares without a move
export const canPlay = () => Boolean($("words-of-move")) && state.follows;
export const nextWords = () => [...$("act").querySelectorAll("a[data-word]")];

export const choose = (say = typed(), squares = pointed()) => persist("choose", () => ask(say, squares));

const narrow = matchMedia("(max-width: 61.99rem)"); // the choices are then far below the board
const hovers = matchMedia("(hover: hover)"); // there is a mouse, and so a real keyboard
let newest = 0;

async function ask(say, squares) {
  const mine = ++newest;
  const answer = await part("act", { say, ...(squares.length && { square: squares.join(" ") }) });
  if (mine === newest) act(await answer.text(), say);
}

function act(html, say = "") {
  const fresh = new DOMParser().parseFromString(html, "text/html"),
    field = $("words-of-move");
  keepLinks(fresh);
  if (field && fresh.getElementById("words-of-move")) {
    // the typed text and its cursor stay
    const focused = $("now").contains(document.activeElement),
      chosen = $("found").contains(document.activeElement) && document.activeElement;
    for (const id of ["now", "asked", "found"]) $(id).replaceWith(fresh.getElementById(id));
    if (focused) $("now").querySelector("h2").focus({ preventScroll: true });
    if (chosen) sameAs(chosen)?.focus({ preventScroll: true });
    if (field.value !== say && document.activeElement !== field) field.value = say;
  } else $("act").replaceChildren(...fresh.body.childNodes);
  const clear = $("clear");
  if (clear) clear.hidden = !typed() && !pointed().length;
  choicesRead.send();
}

/** The offer or button that has replaced another one. */
function sameAs(old) {
  const { say } = old.dataset;
  if (old.matches(".play")) return $("found").querySelector(".preview .play");
  return [...$("found").querySelectorAll("a[data-say]")].find(each => each.dataset.say === say);
}

export function said(text, squares, byKey = false) {
  const field = $("words-of-move");
  if (!field) return;
  field.value = text;
  if (byKey || hovers.matches) field.focus(); // on a phone a keyboard would cover the offers
  choose(text, squares);
}

function goOn(event) {
  const offers = [...$("act").querySelectorAll(".offers a")],
    only = nextWords();
  if (
    event.target.id === "words-of-move" &&
    event.key === "Tab" &&
    !event.shiftKey &&
    only.length === 1 &&
    only[0].dataset.say !== typed()
  ) {
    event.preventDefault();
    said(only[0].dataset.say);
  } else if (event.key === "Escape" && (typed() || pointed().length)) said("", []);
  else if ((event.key === "ArrowDown" || event.key === "ArrowUp") && offers.length) {
    event.preventDefault();
    const at = offers.indexOf(document.activeElement) + (event.key === "ArrowDown" ? 1 : -1);
    if (at < 0) $("words-of-move")?.focus();
    else offers[Math.min(at, offers.length - 1)].focus();
  }
}

async function send(form) {
  const button = form.querySelector("button");
  if (button.disabled) return;
  button.disabled = true;
  try {
    const answer = await sendForm(form, "act");
    if (answer.status === 204) await done();
    else act(await answer.text(), typed());
  } catch {
    button.disabled = false; // a retry has the same key: the move is played once
    connection("not connected; try again");
  }
}

async function done() {
  if ($("words-of-move")) $("words-of-move").value = "";
  if ($("found")) $("found").dataset.squares = ""; // the feed may send another request before the answer
  await choose("", []);
  show(lastStep());
  if (narrow.matches) scrollTo(0, 0); // so that the moves of others are seen
  if (document.activeElement !== document.body) return;
  if (isTurn() && hovers.matches) $("words-of-move")?.focus({ preventScroll: true });
  else $("now").querySelector("h2").focus({ preventScroll: true });
}

export function start() {
  const place = $("act");
  place.addEventListener("input", event => {
    if (event.target.id === "words-of-move") choose();
  });
  place.addEventListener("click", event => {
    if (event.target.closest("#clear")) said("", []);
    if (event.target.closest("[data-below]")) {
      event.preventDefault(); // an address with a # names a step
      $("how-many").scrollIntoView();
    }
    const offer = event.target.closest("a[data-say]");
    if (!offer || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const squares = "squares" in offer.dataset ? words(offer.dataset.squares) : undefined;
    said(offer.dataset.say, squares, event.detail === 0); // a click without a pointer: Enter was pressed
  });
  place.addEventListener("keydown", goOn);
  place.addEventListener("submit", event => {
    if (event.target.dataset.whole) return; // it leads to another page
    event.preventDefault();
    if (event.target.id === "say") {
      // Enter moves the focus to the button, so that you see the preview before you play
      const play = document.querySelector(".preview .play"),
        only = nextWords();
      if (play) play.focus();
      else if (only.length === 1) said(only[0].dataset.say);
      return;
    }
    send(event.target);
  });
  // A typed key begins a move
  document.addEventListener("keydown", event => {
    if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey || !/^\p{L}$/u.test(event.key)) return;
    if (event.target.closest("input, select, textarea") || !canPlay()) return;
    $("words-of-move").focus();
  });
}
