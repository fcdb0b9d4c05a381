// What to do now: the server narrows it down, word by word; what comes too late for what was typed is left aside.
import { $ } from "./drawing.js";
import { part, persist, sendForm } from "./requests.js";
import { show } from "./steps.js";
import { choicesRead, connection, keepLinks, lastStep, state, words } from "./state.js";
import { isTurn } from "./people.js";

export const typed = () => $("words-of-move")?.value ?? "";
export const pointed = () => words($("found")?.dataset.squares); // which the server keeps as far as they can be meant
export const canPlay = () => Boolean($("words-of-move")) && state.follows;
export const nextWords = () => [...$("act").querySelectorAll("a[data-word]")];

export const choose = (say = typed(), squares = pointed()) => persist("choose", () => ask(say, squares));

const narrow = matchMedia("(max-width: 61.99rem)"); // where choices stand far below the board
const hovers = matchMedia("(hover: hover)"); // a mouse, and so a keyboard of keys
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
    // what is being typed stays, and the cursor in it
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

/** What stands now in the place of an offer or a button that was exchanged. */
function sameAs(old) {
  const { say } = old.dataset;
  if (old.matches(".play")) return $("found").querySelector(".preview .play");
  return [...$("found").querySelectorAll("a[data-say]")].find(each => each.dataset.say === say);
}

export function said(text, squares, byKey = false) {
  const field = $("words-of-move");
  if (!field) return;
  field.value = text;
  if (byKey || hovers.matches) field.focus(); // on a phone a keyboard would cover what there is to tap
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
    button.disabled = false; // with the same key: if it was played all the same, it is not played twice
    connection("not connected; try again");
  }
}

async function done() {
  if ($("words-of-move")) $("words-of-move").value = "";
  if ($("found")) $("found").dataset.squares = ""; // the feed may ask anew before this is answered
  await choose("", []);
  show(lastStep());
  if (narrow.matches) scrollTo(0, 0); // what the others do is seen on the board
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
      // Enter goes to the button, so that a move is looked at before it is played
      const play = document.querySelector(".preview .play"),
        only = nextWords();
      if (play) play.focus();
      else if (only.length === 1) said(only[0].dataset.say);
      return;
    }
    send(event.target);
  });
  // Who begins to type begins a move
  document.addEventListener("keydown", event => {
    if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey || !/^\p{L}$/u.test(event.key)) return;
    if (event.target.closest("input, select, textarea") || !canPlay()) return;
    $("words-of-move").focus();
  });
}
