// The panels beside the game: chat, takebacks, orders and study. The server renders each of these parts anew.
import { $, element } from "./drawing.js";
import { choose, said } from "./moves.js";
import { dress, isOver, showSeats } from "./people.js";
import { showPayments } from "./payments.js";
import { part, persist, sendForm } from "./requests.js";
import { connection, keepLinks, state } from "./state.js";
import { showTurn } from "./turn.js";

const below = matchMedia("(max-width: 61.99rem)"); // the answers are then far below the board
const HERE = 60_000; // milliseconds between two looks at who is watching
const studied = $("study").querySelector("details");
const here = { at: "", scrolled: 0, wasOver: isOver(), refreshing: 0, studying: 0, unseen: false, heard: 0 };

// Only the parts marked as fresh are replaced, one by one, so that typed text beside them stays

function freshen(html) {
  for (const fresh of new DOMParser().parseFromString(html, "text/html").querySelectorAll(".fresh")) {
    const old = document.getElementById(fresh.id);
    if (!old || (old.contains(document.activeElement) && document.activeElement.matches("input, select"))) continue;
    const open = old.querySelector("details")?.open;
    keepLinks(fresh);
    old.replaceWith(fresh);
    if (open && fresh.querySelector("details")) fresh.querySelector("details").open = true;
  }
  times();
  if (state.all && state.shown >= 0) showSeats(state.all.steps[state.shown]);
  showPayments(); // the replaced bar had them
  if (state.all) dress($("log")); // until then it is as the server named it
  if ($("around-problem").firstChild) $("around-problem").scrollIntoView({ block: "nearest" });
  const talk = $("talk-list");
  if (talk.children.length > here.heard) $("news").textContent = talk.lastElementChild.textContent;
  unheard();
  talk.scrollTop = talk.scrollHeight;
}

/** Shows how many messages the viewer has not seen yet. */
function unheard() {
  const said = $("talk-list").children.length,
    open = $("talk").open && inView($("talk-list"));
  if (open || document.activeElement?.id === "remark") here.heard = said;
  const count = Math.max(0, said - here.heard);
  $("unheard").hidden = !count;
  $("unheard").textContent = `${count} new ${count === 1 ? "remark" : "remarks"}`;
}

function inView(place) {
  const { top, bottom } = place.getBoundingClientRect();
  return bottom > 0 && top < innerHeight;
}

function openTalk() {
  $("talk").open = true;
  $("talk").scrollIntoView({ block: "nearest" });
  here.heard = $("talk-list").children.length;
  unheard();
  $("remark")?.focus({ preventScroll: true });
}

const around = () => persist("around", async () => freshen(await (await part("around", { at: here.at })).text()));

export function refresh() {
  clearTimeout(here.refreshing); // several messages at once cause one request
  here.refreshing = setTimeout(around, 150);
}

// Of these panels only orders and clocks depend on the moves
export function moved() {
  if (document.querySelector("[data-live=yes]")) refresh();
  clearTimeout(here.studying); // spectators ask at random times, not all at once
  if (studied.open) here.studying = setTimeout(study, 300 + 300 * Math.random());
  else here.unseen = true;
}

function times() {
  for (const each of document.querySelectorAll("time")) {
    const then = new Date(each.dateTime),
      today = then.toDateString() === new Date().toDateString();
    each.textContent = then.toLocaleString([], {
      ...(today ? {} : { day: "numeric", month: "short" }),
      hour: "2-digit",
      minute: "2-digit",
    });
  }
}

/** Shows how long a player has; in the last hour as a running clock. */
function clocks() {
  for (const each of document.querySelectorAll(".clock time")) {
    const left = Math.ceil((Date.parse(each.dateTime) - Date.now()) / 1000);
    if (left >= 3600) continue;
    const text = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")} left`;
    each.parentElement.firstChild.nodeValue = "";
    each.textContent = left > 0 ? text : "out of time";
  }
}

// Questions

const study = (more = {}, looks = true) => persist("study", () => ask(more, looks));

async function ask(more, looks) {
  here.unseen = false;
  const answer = await part("study", { at: here.at, ...more }),
    fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  keepLinks(fresh);
  if (Object.keys(more).length) studied.open = true;
  for (const id of ["because", "answer", "lines"]) {
    const found = fresh.getElementById(id);
    if (found && (id === "lines" ? !$(id).contains(document.activeElement) : found.textContent.trim()))
      $(id).replaceWith(found);
  }
  const playedBy = $("played-by"),
    now = fresh.getElementById("played-by");
  if (playedBy && now && playedBy.childElementCount !== now.childElementCount) playedBy.replaceWith(now); // at its end
  for (const [name, id] of [
    ["why", "because"],
    ["ask", "answer"],
  ]) {
    if (!more[name]) continue;
    $(name).value = more[name];
    if (looks) $(id).scrollIntoView({ block: "nearest" });
  }
  return answer.ok;
}

/** Explains a square. If the answer is far below the board, its beginning is shown there, with a link to the rest. */
export async function glance(square) {
  const answered = await study({ why: square }, !below.matches);
  const [first, last] = ["p", ".why li a"].map(each => $("because").querySelector(each)?.textContent ?? "");
  const more = element("button", {
    type: "button",
    textContent: "More of it",
    onclick: () => $("because").scrollIntoView(),
  });
  $("glance").replaceChildren(
    element("p", { textContent: first }),
    element("p", { className: "soft", textContent: last }),
    more,
  );
  $("glance").hidden = !below.matches || !answered || !first;
  if (!$("glance").hidden) $("glance").scrollIntoView({ block: "nearest" });
}

/** Shows the answer that the address asks for, unless one has scrolled elsewhere meanwhile. */
export function showAsked() {
  const asked = new URLSearchParams(location.search),
    answer = asked.has("ask") ? $("answer") : asked.has("why") ? $("because") : null;
  if (!answer || Math.abs($("below").scrollTop + scrollY - here.scrolled) > 4) return;
  answer.scrollIntoView({ block: "start" });
  here.scrolled = $("below").scrollTop + scrollY;
}

/** Updates the panels for another position. */
export function lookAt(number) {
  const place = state.follows ? "" : String(number);
  here.at = place;
  $("glance").hidden = true;
  for (const each of document.querySelectorAll(".this-move")) each.value = place;
  for (const each of document.querySelectorAll(".this-place"))
    each.defaultValue = `${each.dataset.line}@${Math.max(0, number - each.dataset.back)}`; // typed text stays
  if ($("about-this")) $("about-this").value = number;
  showTry();
}

/** Disables the form for a line of your own at the end of a game: you have to step back first. */
function showTry() {
  const button = $("try-it")?.querySelector("button");
  if (!button) return;
  button.disabled = isOver() && state.follows;
  button.title = button.disabled ? "step back to a move first" : "";
}

/** Updates the panels when the part with the possible moves was read anew. */
export function chosen() {
  showTurn();
  showTry();
  if (isOver() !== here.wasOver) {
    document.body.classList.add("just-over");
    refresh();
    study(); // programs may play the others from now on
  }
  here.wasOver = isOver();
  if ($("orders")) $("orders").hidden = isOver(); // orders are hidden when the game is over
}

function followLink(event) {
  const link = event.target.closest("a"),
    address = link?.getAttribute("href") ?? "";
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const asked = new URLSearchParams(address.replace(/^[^?]*/, ""));
  if (address.startsWith("?") && asked.has("why")) study({ why: asked.get("why") });
  else if (link.dataset.ask) study({ ask: link.dataset.ask });
  else if (link.dataset.say && link.closest("#answer")) {
    said(link.dataset.say);
    $("act").scrollIntoView({ block: "nearest" });
  } else return;
  event.preventDefault();
}

function submit(event) {
  const form = event.target,
    name = form.dataset.part;
  if (!name) return;
  event.preventDefault();
  const fields = new URLSearchParams(/** @type {any} */ (new FormData(form)));
  if (form.method === "post") post(form, event.submitter).catch(() => connection("not connected; try again"));
  else if (name === "study") study(Object.fromEntries([...fields].filter(([key]) => ["why", "ask"].includes(key))));
  else
    persist("around", async () => {
      const html = await (await part(name, Object.fromEntries(fields))).text();
      document.activeElement.blur();
      freshen(html);
    });
}

async function post(form, button) {
  if (button.disabled) return;
  button.disabled = true;
  try {
    const answer = await sendForm(form, "around", button);
    document.activeElement.blur();
    if (answer.status !== 204) {
      freshen(await answer.text());
      return;
    }
    form.reset();
    form.elements.key.value = crypto.getRandomValues(new Uint32Array(6)).join("-"); // the next message is a new one
    refresh();
    await choose();
  } finally {
    button.disabled = false; // a retry has the same key, so it is done once
    if (document.activeElement === document.body)
      (form.querySelector("#remark") ?? button).focus({ preventScroll: true });
  }
}

export function start() {
  studied.addEventListener("toggle", () => {
    if (studied.open && here.unseen) study();
  });
  document.addEventListener("click", followLink);
  document.addEventListener("submit", submit);
  $("talk").addEventListener("toggle", unheard);
  $("talk-list").addEventListener("focus", unheard);
  document.addEventListener("focusin", event => {
    if (event.target.id === "remark") unheard();
  });
  $("unheard").addEventListener("click", openTalk);
  here.heard = $("talk-list").children.length;
  chosen();
  times();
  $("talk-list").scrollTop = $("talk-list").scrollHeight;
  setInterval(clocks, 1000);
  setInterval(() => {
    if (!document.hidden) refresh();
  }, HERE);
}
