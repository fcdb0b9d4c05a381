// The page of a game: steps through it, follows it as it is played, and narrows down what can be played.
import { beside } from "./beside.js";
import { $, drawn, element, graph, tip, zoomable } from "./drawing.js";

const main = $("main"), { game, as, line, seat } = main.dataset;
const here = `/games/${encodeURIComponent(game)}`;
const asked = more => new URLSearchParams({ ...(as && { as }), line, ...more });
const later = ms => new Promise(done => setTimeout(done, ms));
let all = null, now = -1, following = main.dataset.at === "";

// Stepping through it: what is asked for comes with the first of `steps`, all else as it is played

async function load() {
  const answer = await fetch(`${here}/steps?${asked()}`);
  if (!answer.ok) throw new Error(answer.statusText);
  all = await answer.json();
  const shown = following ? all.steps.length - 1 : Math.min(Math.max(now, 0), all.steps.length - 1);
  $("log").innerHTML = all.steps.map(entry).join("");
  marks();
  $("steps").hidden = false;
  now = -1;
  if (main.dataset.at !== "") { show(Number(main.dataset.at)); main.dataset.at = ""; } else show(wanted() ?? shown);
}

const entry = step => step.entry + (step.round ? `<li class="round">${escaped(step.round)}</li>` : "");
const escaped = text => text.replace(/[&<>]/g, char => `&#${char.charCodeAt()};`);
const end = () => all.steps.length - 1;

function wanted() {
  let name = location.hash.slice(1);
  try { name = decodeURIComponent(name); } catch { /* somebody has typed it */ }
  if (!name) return null;
  const marked = all.steps.findIndex(step => step.marks.includes(name));
  return marked >= 0 ? marked : parseInt(name) || 0;
}

function show(number) {
  if (!all) return;
  number = Math.max(0, Math.min(end(), number));
  following = number === end();
  if (number !== now) draw(all.steps[number], all.steps[now]);
  now = number;
  const step = all.steps[now];
  $("status").textContent = following ? step.status : `looking back · ${step.status}`;
  $("where").textContent = following ? `${now}` : `${now} of ${end()}`;
  $("slider").max = end();
  $("slider").value = now;
  $("slider").setAttribute("aria-valuetext", `move ${now} of ${end()}: ${step.said}`);
  document.body.classList.toggle("looking", !following);
  $("log").querySelector("a[aria-current]")?.removeAttribute("aria-current");
  $("log").querySelector(`a[data-step="${now}"]`).setAttribute("aria-current", "step");
  reveal();
  for (const cursor of document.querySelectorAll(".now")) cursor.setAttribute("transform", `translate(${now} 0)`);
  around.at(following ? "" : String(now), now);
  clearTimeout(show.named); // a browser takes only so many addresses a second
  show.named = setTimeout(() => history.replaceState(null, "", `${location.pathname}${search()}${following ? "" : `#${now}`}`), 200);
}

function reveal() { // scrollIntoView would move the page as well
  const log = $("log"), at = log.querySelector("a[aria-current]")?.getBoundingClientRect(), frame = log.getBoundingClientRect();
  if (at && (at.top < frame.top || at.bottom > frame.bottom)) log.scrollTop += at.top - frame.top - (following ? log.clientHeight - at.height : log.clientHeight / 2);
}

function search() {
  const left = new URLSearchParams(location.search);
  for (const name of ["at", "here", "say", "square", "why", "ask", "back", "instead"]) left.delete(name);
  return left.size ? `?${left}` : "";
}

function draw(step, before) {
  if (all.box) {
    const known = new Set(before?.drawing);
    const changed = before && Math.abs(step.number - before.number) === 1;
    exchange($("board"), step.drawing.map(part => piece(part, changed && !known.has(part))));
    lights();
    if ($("words")?.open) words();
  }
  const open = new Map([...$("tables").querySelectorAll("details")].map(each => [each.dataset.table, each.open]));
  $("tables").innerHTML = step.side;
  for (const row of $("tables").querySelectorAll(":scope > table tr[data-seat]")) if (seat && row.dataset.seat === seat) {
    row.className = "mine";
    row.cells[0].append(" ", element("small", { textContent: "you" }));
  }
  for (const each of $("tables").querySelectorAll("details")) each.open = open.get(each.dataset.table) ?? each.open;
}

// From move to move little changes, and what stays in its place is not laid out and painted again
function exchange(parent, wanted) {
  const kept = new Set(wanted);
  for (const each of [...parent.children]) if (!kept.has(each)) each.remove();
  let at = parent.firstElementChild;
  for (const each of wanted) if (each === at) at = at.nextElementSibling; else parent.insertBefore(each, at);
}

const pieces = new Map(); // each part is read once: from step to step few change

function piece(part, isNew) {
  if (!pieces.has(part)) {
    const made = drawn("g", { "data-part": part });
    made.innerHTML = all.parts[part].drawing;
    pieces.set(part, made);
  }
  pieces.get(part).classList.toggle("new", Boolean(isNew));
  return pieces.get(part);
}

function words() {
  const told = all.steps[Math.max(now, 0)].drawing.map(part => all.parts[part].about).filter(Boolean);
  $("words").querySelector("ul").replaceChildren(...told.map(text => Object.assign(document.createElement("li"), { textContent: text })));
}

function graphs() {
  const rounds = all.steps.flatMap((step, move) => step.round ? [move] : []);
  const figures = at => all.seats.map((_, seat) => all.steps.map(step => step.figures[seat]?.[at] ?? null));
  $("graphs").replaceChildren(...all.series.flatMap((name, at) => graph(name, all.seats, figures(at), rounds, show)),
    ...(judged.chances?.length ? graph("chance to win, in percent", all.seats, judged.chances, rounds, show) : []));
  for (const cursor of document.querySelectorAll(".now")) cursor.setAttribute("transform", `translate(${now} 0)`);
}

// What a program thinks of it, once it is over

async function judged() {
  const of = all?.steps.at(-1).digest;
  if (!$("now")?.dataset.judged || !of || judged.of === of || judged.asking) return;
  judged.asking = true;
  const answer = await fetch(`${here}/chances?${asked()}`).finally(() => { judged.asking = false; });
  if (await tooSoon(answer)) return judged();
  if (!answer.ok) return;
  judged.of = of;
  const { chances, turning, better } = await answer.json();
  judged.chances = chances;
  judged.better = better;
  $("turning").hidden = !turning.length;
  $("turning").replaceChildren(element("h3", { textContent: "Where it turned" }), element("ul", { className: "why" }, ...turning.map(number =>
    element("li", {}, stepTo(number), ...changes(chances, number)))));
  $("better").hidden = !better.length;
  $("better").replaceChildren(element("summary", { textContent: "What was given away" }), element("ul", { className: "why" }, ...better.map(each =>
    element("li", {}, stepTo(each.first), element("small", { textContent: ` ${each.said} ` }), ...(each.line ? [lineTo(each.line)] : [])))));
  graphs();
  marks();
}

function marks() { // in the log, as those of chess have them
  for (const each of judged.better ?? []) {
    const text = $("log").querySelector(`a[data-step="${each.last}"] .text`);
    if (text && !text.querySelector(".mark")) text.append(" ", element("b", { className: "mark", textContent: each.mark, title: each.said }));
  }
}

const lineTo = name => element("a", { href: `${here}?${new URLSearchParams({ ...(as && { as }), line: name })}`, className: "line", textContent: `see ${name}` });

function stepTo(number) {
  const link = element("a", { href: `?at=${number}` }, element("span", { className: "number", textContent: number }), all.steps[number].said);
  link.dataset.step = number;
  return link;
}

const changes = (chances, number) => all.seats.flatMap((seat, at) => {
  const [before, after] = [chances[at][number - 1], chances[at][number]];
  return Math.abs(after - before) < 5 ? [] : [element("small", { textContent: ` · ${seat.name} ${before} → ${after} %` })];
});

function round(way) {
  for (let at = now + way; at >= 0 && at <= end(); at += way) if (all.steps[at].round) return at;
  return way < 0 ? 0 : end();
}

// Following it: each message builds on the one before; whoever lacks one reads all of it anew

function played({ step, parts }) {
  if (all.steps[step.number]?.digest === step.digest) return true;
  if (all.steps[step.number - 1]?.digest !== step.parent || step.number !== all.steps.length) return false;
  Object.assign(all.parts, parts);
  all.steps.push(step);
  $("log").insertAdjacentHTML("beforeend", entry(step));
  $("news").textContent = `${step.said}. ${step.status}`;
  const follows = following;
  show(follows ? end() : now);
  clearTimeout(graphs.later); // the move is on the screen first
  graphs.later = setTimeout(graphs, 50);
  document.title = document.hidden ? `• ${document.title.replace(/^• /, "")}` : document.title;
  around.moved();
  return true;
}

let queue = Promise.resolve(), waited = 500;
const next = work => { queue = queue.then(work).catch(lost); };

async function anew() {
  await load();
  graphs();
  await choose();
  around.refresh();
  around.moved();
}

function follow() {
  const feed = new EventSource(`${here}/feed?${asked()}`);
  const on = (name, does) => feed.addEventListener(name, event => next(() => does(JSON.parse(event.data))));
  on("standing", async ({ digest }) => { if (all?.steps.at(-1).digest !== digest) await anew(); });
  on("commit", async data => {
    if (!played(data)) return anew();
    if (seat) return choose();
    clearTimeout(choose.later); // who only watches does not ask in the same moment as all others who do
    choose.later = setTimeout(() => choose().catch(failed), 300 * Math.random());
  });
  on("head", anew);
  for (const name of ["seats", "talk"]) on(name, () => around.refresh());
  for (const name of ["request", "vote"]) on(name, async () => { around.refresh(); await choose(); });
  feed.onopen = () => { waited = 500; state(""); };
  feed.onerror = () => {
    state("not connected; trying again");
    if (feed.readyState === EventSource.CLOSED) lost(); // a browser tries again by itself after anything but an answer
  };
  follow.feed = feed;
}

let coming = false;

async function lost() {
  if (coming) return;
  coming = true;
  follow.feed?.close();
  state("not connected; trying again");
  waited = Math.min(waited * 2, 30000);
  await Promise.race([later(waited * (0.5 + Math.random())), new Promise(done => addEventListener("online", done, { once: true }))]);
  while (document.hidden && !around.tells()) await new Promise(done => document.addEventListener("visibilitychange", done, { once: true }));
  coming = false;
  follow();
}

function state(text) {
  $("link-state").textContent = text;
  $("link-state").hidden = !text;
}

// What to do now: the server narrows it down, word by word; what comes too late for what was typed is left aside

async function choose(say = typed(), squares = pointed()) {
  const mine = ++choose.last;
  const answer = await fetch(`${here}?${asked({ say, ...(squares.length && { square: squares.join(" ") }) })}`, { headers: { "Zim-Part": "act" } });
  if (await tooSoon(answer)) return mine === choose.last ? choose(say, squares) : undefined; // what stands there stays
  if (mine === choose.last) act(await answer.text(), say);
  if (follow.feed?.readyState === EventSource.OPEN) state("");
}
choose.last = 0;

async function tooSoon(answer) { // or too much was asked for: whether it was, once one may ask again
  const refused = answer.status === 429 || answer.status === 503;
  if (refused) {
    state("too much at once; trying again");
    await later(1000 * (Number(answer.headers.get("Retry-After")) || 1));
    state("");
  }
  return refused;
}

const typed = () => $("words-of-move")?.value ?? "";
const pointed = () => listed($("found")?.dataset.squares); // which the server keeps as far as they can be meant
const listed = text => (text ?? "").split(" ").filter(Boolean);

function act(html, say = "") {
  const fresh = new DOMParser().parseFromString(html, "text/html"), field = $("words-of-move");
  if (field && fresh.getElementById("words-of-move")) { // what is being typed stays, and the cursor in it
    for (const part of ["now", "asked", "found"]) $(part).replaceWith(fresh.getElementById(part));
    if (field.value !== say && document.activeElement !== field) field.value = say;
  } else $("act").replaceChildren(...fresh.body.childNodes);
  const clear = $("clear");
  if (clear) { clear.hidden = !typed() && !pointed().length; clear.onclick = () => said("", []); }
  lights();
  around.chosen();
  judged().catch(failed);
}

function said(text, squares) {
  const field = $("words-of-move");
  if (!field) return;
  field.value = text;
  if (matchMedia("(hover: hover)").matches) field.focus(); // on a phone a keyboard would cover what there is to tap
  choose(text, squares).catch(failed);
}

const nextWords = () => [...$("act").querySelectorAll("a[data-word]")];

const failed = () => state("not connected; trying again");

$("act").addEventListener("input", event => { if (event.target.id === "words-of-move") choose().catch(failed); });
$("act").addEventListener("click", event => {
  const offer = event.target.closest("a[data-say]");
  if (offer && !event.ctrlKey && !event.metaKey) { event.preventDefault(); said(offer.dataset.say, "squares" in offer.dataset ? listed(offer.dataset.squares) : undefined); }
});
$("act").addEventListener("keydown", event => {
  const offers = [...$("act").querySelectorAll(".offers a")], only = nextWords();
  if (event.target.id === "words-of-move" && event.key === "Tab" && !event.shiftKey && only.length === 1 && only[0].dataset.say !== typed()) {
    event.preventDefault();
    said(only[0].dataset.say);
  } else if (event.key === "Escape" && (typed() || pointed().length)) said("", []);
  else if ((event.key === "ArrowDown" || event.key === "ArrowUp") && offers.length) {
    event.preventDefault();
    const at = offers.indexOf(document.activeElement) + (event.key === "ArrowDown" ? 1 : -1);
    if (at < 0) $("words-of-move")?.focus(); else offers[Math.min(at, offers.length - 1)].focus();
  }
});
$("act").addEventListener("submit", event => {
  if (event.target.dataset.whole) return; // it leads to another page
  event.preventDefault();
  if (event.target.id === "say") { // Enter goes to the button, so that a move is looked at before it is played
    const play = document.querySelector(".preview .play"), only = nextWords();
    if (play) play.focus(); else if (only.length === 1) said(only[0].dataset.say);
    return;
  }
  sent(event.target);
});

async function sent(form) {
  const button = form.querySelector("button");
  if (button.disabled) return;
  button.disabled = true;
  try {
    const answer = await fetch(form.action, { method: "POST", body: new URLSearchParams(new FormData(form)), headers: { "Zim-Part": "act" } });
    if (await tooSoon(answer)) { button.disabled = false; await sent(form); } // with the same key, see below
    else if (answer.status === 204) { if ($("words-of-move")) $("words-of-move").value = ""; await choose("", []); show(end()); }
    else act(await answer.text(), typed());
  } catch {
    button.disabled = false; // with the same key: if it was played all the same, it is not played twice
    failed();
  }
}

// The board: squares that could be meant are lit, and can be clicked; those that are meant are marked

function lights() {
  const board = $("board");
  if (!board || !all) return;
  board.querySelector(".lights")?.remove();
  if (!$("words-of-move") || !following || !typed().trim() && !pointed().length) return;
  const lit = new Set(listed($("found").dataset.lit)), meant = new Set([...typed().toLowerCase().split(/\W+/), ...pointed()]);
  const square = (name, x, y) => drawn("rect", { x: x * all.unit + 1.5, y: y * all.unit + 1.5, width: all.unit - 3, height: all.unit - 3, rx: 6,
    "data-square": name, ...(meant.has(name) && { class: "meant" }) });
  const squares = all.squares.flatMap((row, y) => row.flatMap((name, x) => lit.has(name) || meant.has(name) ? [square(name, x, y)] : []));
  board.append(drawn("g", { class: "lights" }, ...squares.sort((a, b) => a.classList.length - b.classList.length)));
}

function squareAt(event) {
  const at = zoomed.inBoard(event);
  return all?.squares[Math.floor(at.y / all.unit)]?.[Math.floor(at.x / all.unit)] ?? "";
}

function picked(square) { // again, and it is left out
  if (!square) return;
  if (!$("words-of-move") || !following) return around.glance(square).catch(failed);
  const before = pointed(), squares = before.filter(each => each !== square);
  if (squares.length === before.length) squares.push(square);
  const fitting = nextWords().filter(each => squares.every(name => each.dataset.word.split(/\W+/).includes(name)));
  if (squares.length > before.length && fitting.length === 1 && !$("found").dataset.more) said(fitting[0].dataset.say, squares);
  else choose(typed(), squares).catch(failed);
}

function about(event) {
  const part = event.target.closest("[data-part]")?.dataset.part, what = all?.parts[part]?.about ?? "", name = squareAt(event);
  return what && what.startsWith(`${name}: `) ? what : [name, what].filter(Boolean).join(" · ");
}

const zoomed = $("board") ? zoomable($("board"), $("board").getAttribute("viewBox"), about) : null;
if (zoomed) {
  $("zoom").hidden = false;
  let down = null;
  $("board").addEventListener("pointerdown", event => { down = [event.clientX, event.clientY]; });
  $("board").addEventListener("click", event => { if (down && Math.hypot(event.clientX - down[0], event.clientY - down[1]) < 8) picked(squareAt(event)); });
}

// Keys and buttons

const moves = { first: () => show(0), back: () => show(now - 1), next: () => show(now + 1), last: () => show(end()) };
const sizes = zoomed ? { closer: zoomed.closer, further: zoomed.further, whole: zoomed.whole } : {};
for (const [id, does] of Object.entries({ ...moves, ...sizes })) $(id).onclick = does;
$("slider").oninput = event => show(Number(event.target.value));
$("words")?.addEventListener("toggle", () => all && words());
document.addEventListener("click", event => {
  const link = event.target.closest("a[data-step]");
  if (link && all && !event.ctrlKey && !event.metaKey) { event.preventDefault(); show(Number(link.dataset.step)); }
});
const keys = { ArrowLeft: moves.back, ArrowRight: moves.next, Home: moves.first, End: moves.last,
  ArrowUp: () => show(round(-1)), ArrowDown: () => show(round(1)), "+": sizes.closer, "-": sizes.further, "0": sizes.whole };
addEventListener("keydown", event => {
  if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey || event.target.closest("input, #act, details")) return;
  const does = keys[event.key];
  if (does && all) { event.preventDefault(); does(); }
});
addEventListener("resize", reveal);
// A page that a browser keeps for its back button would keep a connection, of which it has six
addEventListener("pagehide", () => follow.feed?.close());
addEventListener("pageshow", event => { if (event.persisted) follow(); });
addEventListener("online", () => { // at once, not when the browser thinks of it
  if (coming || follow.feed?.readyState === EventSource.OPEN) return;
  follow.feed?.close();
  follow();
});
addEventListener("hashchange", () => all && show(wanted() ?? end()));
document.addEventListener("visibilitychange", () => { if (!document.hidden) document.title = document.title.replace(/^• /, ""); });
addEventListener("pointerdown", event => { if (!event.target.closest("#board")) tip(null); });
const around = beside({ here, asked, choose, said, failed, title: document.title });
follow();
