// The menu of moves: the server narrows it down, word by word. Answers to text that has changed are dropped.
import { $ } from "./drawing.js";
import { part, persist, sendForm } from "./requests.js";
import { show } from "./steps.js";
import { choicesRead, keepLinks, lastStep, state, toTop, wait, words } from "./state.js";
import { isTurn } from "./people.js";

export const typed = () => $("words-of-move")?.value ?? "";
export const pointed = () => words($("found")?.dataset.squares); // the server drops squares without a move
export const canPlay = () => Boolean($("words-of-move")) && state.follows;
const unsaid = () => !typed().trim() && !pointed().length;
export const nextWords = () => [...document.querySelectorAll(`${unsaid() ? "#beside" : "#found"} a[data-word]`)];

export const choose = (say = typed(), squares = pointed()) => persist("choose", () => ask(say, squares));

const LONG_PRESS = 1000; // milliseconds
const BUSY = 200; // milliseconds until a page says that it waits
const hovers = matchMedia("(hover: hover)"); // there is a mouse, and so a real keyboard
const oneColumn = matchMedia("(max-width: 61.99rem)"); // the board then stands above the offers
let newest = 0,
  sending = false,
  followed = false; // whether an offer was pressed, whose squares are about to be lit

// What a pointer presses is replaced only after its click, which would otherwise be lost

let pressed = Promise.resolve();
addEventListener("pointerdown", () => {
  pressed = new Promise(done => {
    for (const kind of ["pointerup", "pointercancel"]) addEventListener(kind, () => setTimeout(done), { once: true });
  });
});

async function ask(say, squares) {
  const mine = ++newest;
  const answer = await part("act", { say, ...(squares.length && { square: squares.join(" ") }) });
  const html = await answer.text();
  await Promise.race([pressed, wait(LONG_PRESS)]);
  if (mine === newest) act(html, say);
}

const PARTS = ["now", "dock", "saying", "asked", "found"];

function act(html, say = "") {
  const fresh = new DOMParser().parseFromString(html, "text/html"),
    field = $("words-of-move");
  if (!fresh.getElementById("now")) {
    $("found").prepend(...fresh.body.childNodes); // a problem alone
    return;
  }
  keepLinks(fresh);
  const had = document.activeElement,
    focused = $("now").contains(had);
  const chosen = ($("found").contains(had) || $("dock").contains(had)) && had;
  const wasLeft = $("beside").contains(had);
  for (const id of PARTS) {
    if (id === "dock" && sending) continue; // its form is on its way
    if (id === "saying" && field && fresh.getElementById("words-of-move")) continue; // the typed text and its cursor stay
    $(id).replaceWith(fresh.getElementById(id));
  }
  if (focused || (wasLeft && !sameAs(chosen) && document.activeElement === document.body))
    $("now").querySelector("h2").focus({ preventScroll: true });
  if (chosen) sameAs(chosen)?.focus({ preventScroll: true });
  if (field && field.value !== say && document.activeElement !== field) field.value = say;
  const clear = $("clear");
  if (clear) clear.hidden = !typed() && !pointed().length;
  choicesRead.send();
  if (followed) showBoard();
  followed = false;
}

/** Brings the board back into view, on which squares have been lit. */
function showBoard() {
  const board = $("board");
  if (!board || !oneColumn.matches || !$("found").dataset.lit) return;
  const { top, height } = board.getBoundingClientRect();
  if (top < -height / 4) board.scrollIntoView({ block: "nearest" });
}

/** The offer or button that has replaced another one. */
function sameAs(old) {
  if (!old) return null;
  const { say } = old.dataset;
  if (old.matches(".play")) return document.querySelector(".preview .play");
  return [...document.querySelectorAll("#dock a[data-say], #found a[data-say]")].find(each => each.dataset.say === say);
}

export function said(text, squares, byKey = false) {
  const field = $("words-of-move");
  if (!field) return;
  field.value = text;
  if (byKey || hovers.matches) field.focus(); // on a phone a keyboard would cover the offers
  choose(text, squares);
}

function goOn(event) {
  if (!event.target.closest("#act, #options")) return;
  const offers = [...document.querySelectorAll(unsaid() ? "#verbs a, #found .offers a" : "#found .offers a")],
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

/** Sends a move. After a lost connection it is sent again with the same key, so it is played once. */
async function send(form) {
  if (sending) return;
  sending = true;
  form.querySelector("button").disabled = true;
  const left = setTimeout(say, BUSY, "Sending it");
  try {
    await persist(
      "play",
      async () => {
        const answer = await sendForm(form, "act");
        sending = false;
        if (answer.status === 204) await done();
        else act(await answer.text(), typed());
      },
      () => {
        clearTimeout(left);
        say("Not sent yet: it will be, as soon as there is a connection");
      },
    );
  } finally {
    sending = false;
    clearTimeout(left);
  }
}

/** Says what becomes of a move that was sent, beside the Play button. */
function say(text) {
  const place = document.querySelector("#dock .playbar > :is(strong, span)");
  if (place && sending) place.textContent = text;
}

async function done() {
  if ($("words-of-move")) $("words-of-move").value = "";
  if ($("found")) $("found").dataset.squares = ""; // the feed may send another request before the answer
  await choose("", []);
  show(lastStep());
  toTop(); // so that the moves of others are seen
  const focus = document.activeElement;
  if (focus !== document.body && !$("now").contains(focus)) return;
  if (isTurn() && hovers.matches) $("words-of-move")?.focus({ preventScroll: true });
  else $("now").querySelector("h2").focus({ preventScroll: true });
}

export function start() {
  const place = $("beside");
  place.addEventListener("input", event => {
    if (event.target.id === "words-of-move") choose();
  });
  place.addEventListener("click", event => {
    if (event.target.closest("#clear")) said("", []);
    const offer = event.target.closest("#dock a[data-say], #found a[data-say]");
    if (!offer || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const squares = "squares" in offer.dataset ? words(offer.dataset.squares) : undefined;
    followed = true;
    said(offer.dataset.say, squares, event.detail === 0); // a click without a pointer: Enter was pressed
  });
  place.addEventListener("keydown", goOn);
  place.addEventListener("submit", event => {
    if (event.target.dataset.whole || event.target.dataset.part) return; // it leads to another page, or is a panel's
    if (!event.target.closest("#act, #options")) return;
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
