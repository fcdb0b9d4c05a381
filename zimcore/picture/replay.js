"use strict";
const game = JSON.parse(document.getElementById("game").textContent);
const $ = id => document.getElementById(id);
const last = game.steps.length - 1;
const SVG = "http://www.w3.org/2000/svg";
let now = -1, timer = null;

function element(name, properties, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

function drawn(name, attributes, ...children) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

const chip = colour => element("span", { className: "chip", style: `background:${colour}` });

function table({ title, heads, rows }) {
  const cell = (text, at, colour) => {
    const made = element("td", {}, ...(at || !colour ? [] : [chip(colour)]), text.replaceAll("_", " "));
    made.dataset.head = heads[at];
    return made;
  };
  return element("table", {}, ...(game.box ? [] : [element("caption", { textContent: title })]),
    element("thead", {}, element("tr", {}, ...heads.map(head => element("th", { textContent: head })))),
    element("tbody", {}, ...rows.map(({ colour, cells }) => element("tr", {}, ...cells.map((text, at) => cell(text, at, colour))))));
}

// Moving through the match

function show(number) {
  number = Math.max(0, Math.min(last, number));
  if (number === now) return;
  now = number;
  const step = game.steps[now];
  if (game.box) $("board").innerHTML = step.drawing.map(part => `<g data-part="${part}">${game.parts[part].drawing}</g>`).join("");
  $("status").textContent = `after move ${now} of ${last} · ${step.status}`;
  $("tables").replaceChildren(...step.tables.map(table));
  $("facts").replaceChildren(...step.facts.map(fact => element("li", { textContent: fact })));
  $("slider").value = now;
  document.querySelector("#log a[aria-current]")?.removeAttribute("aria-current");
  const line = document.querySelector(`#log a[href="#${now}"]`);
  line.setAttribute("aria-current", "step");
  const log = $("log"), top = line.offsetTop - log.offsetTop; // scrollIntoView would move the page as well
  if (top < log.scrollTop || top + line.offsetHeight > log.scrollTop + log.clientHeight) log.scrollTop = top - log.clientHeight / 2;
  for (const cursor of document.querySelectorAll(".now")) cursor.setAttribute("transform", `translate(${now} 0)`);
  if (location.hash !== `#${now}`) history.replaceState(null, "", `#${now}`);
}

function wanted() {
  const name = decodeURIComponent(location.hash.slice(1));
  const marked = game.steps.findIndex(step => step.marks.includes(name));
  return marked >= 0 ? marked : parseInt(name) || 0;
}

function round(way) {
  for (let at = now + way; at >= 0 && at <= last; at += way) if (game.steps[at].round) return at;
  return way < 0 ? 0 : last;
}

function play() {
  if (timer) { clearInterval(timer); timer = null; }
  else timer = setInterval(() => now < last ? show(now + 1) : play(), 900);
  $("play").textContent = timer ? "stop" : "play";
}

// The graphs: a unit to a move, and one for each step of a figure

function graph(name, at) {
  const values = game.seats.map((_, seat) => game.steps.map(step => step.figures[seat]?.[at] ?? null));
  const known = values.flat().filter(value => value !== null);
  if (!known.length || last < 1) return [];
  const low = Math.min(...known), high = Math.max(low + 1, ...known);
  const line = figures => figures.map((value, move) => value === null ? "" : `${move && figures[move - 1] !== null ? "L" : "M"}${move} ${high - value}`).join("");
  const rounds = game.steps.flatMap((step, move) => step.round ? [move] : []);
  const svg = drawn("svg", { viewBox: `0 0 ${last} ${high - low}`, preserveAspectRatio: "none", role: "img", "aria-label": `${name} of each player by move` },
    ...rounds.map(move => drawn("path", { class: "grid", d: `M${move} 0V${high - low}` })),
    drawn("path", { class: "grid", d: `M0 ${high}H${last}` }),
    ...values.flatMap((figures, seat) => [drawn("path", { class: "under", d: line(figures) }), drawn("path", { class: "over", d: line(figures), stroke: game.seats[seat].colour })]),
    drawn("path", { class: "now", d: `M0 0V${high - low}` }));
  const move = event => { const box = svg.getBoundingClientRect(); return Math.max(0, Math.min(last, Math.round((event.clientX - box.left) / box.width * last))); };
  svg.onclick = event => show(move(event));
  svg.onpointermove = event => tip(event, [`after move ${move(event)}: ${name}`, ...game.seats.map((seat, n) => `${seat.name} ${values[n][move(event)] ?? "?"}`)].join("\n"));
  svg.onpointerleave = () => tip(null);
  return [element("figure", {}, element("figcaption", { textContent: `${name} (${low} to ${high})` }), svg)];
}

// What is under the pointer

function tip(event, text) {
  $("tip").hidden = !event || !text;
  if ($("tip").hidden) return;
  $("tip").textContent = text;
  const { width, height } = $("tip").getBoundingClientRect();
  $("tip").style.left = `${Math.max(4, Math.min(innerWidth - width - 4, event.clientX + 14))}px`;
  $("tip").style.top = `${event.clientY + 18 + height > innerHeight ? event.clientY - height - 10 : event.clientY + 18}px`;
}

function since(part) {
  let move = now;
  while (move > 0 && game.steps[move - 1].drawing.includes(part)) move--;
  return move;
}

function about(event) {
  const at = inBoard(event), name = game.squares[Math.floor(at.y / game.side)]?.[Math.floor(at.x / game.side)] ?? "";
  const part = event.target.closest("[data-part]")?.dataset.part;
  const what = part === undefined ? "" : game.parts[part].about;
  return [name, what, what ? `as it is since move ${since(Number(part))}` : ""].filter(Boolean).join(" · ");
}

// Zoom: a smaller part of the plane in the same frame

let view = null;
const whole = game.box.split(" ").map(Number);
const pointers = new Map();

function inBoard(event) {
  return new DOMPoint(event.clientX, event.clientY).matrixTransform($("board").getScreenCTM().inverse());
}

function look([x, y, width, height]) {
  const scale = Math.min(1, whole[2] / width);
  [width, height] = [width * scale, height * scale];
  x = Math.max(whole[0], Math.min(whole[0] + whole[2] - width, x));
  y = Math.max(whole[1], Math.min(whole[1] + whole[3] - height, y));
  view = [x, y, width, height];
  $("board").setAttribute("viewBox", view.join(" "));
  $("board").classList.toggle("near", width < whole[2] - 1);
}

function zoom(by, at) {
  const [x, y, width, height] = view, to = Math.max(whole[2] / 8, Math.min(whole[2], width / by));
  const scale = to / width;
  at ??= { x: x + width / 2, y: y + height / 2 };
  look([at.x - (at.x - x) * scale, at.y - (at.y - y) * scale, to, height * scale]);
}

function dragged(event) {
  if (!pointers.has(event.pointerId)) return tip(event, about(event));
  const before = pointers.get(event.pointerId), unit = 1 / $("board").getScreenCTM().a;
  const others = [...pointers].filter(([id]) => id !== event.pointerId).map(([, at]) => at);
  if (others.length) {
    const [other] = others, far = at => Math.hypot(at.clientX - other.clientX, at.clientY - other.clientY);
    zoom(far(event) / Math.max(far(before), 1), inBoard({ clientX: (event.clientX + other.clientX) / 2, clientY: (event.clientY + other.clientY) / 2 }));
  } else if (view[2] < whole[2]) {
    look([view[0] - (event.clientX - before.clientX) * unit, view[1] - (event.clientY - before.clientY) * unit, view[2], view[3]]);
  }
  pointers.set(event.pointerId, event);
}

if (game.box) {
  const board = $("board");
  look(whole);
  board.addEventListener("wheel", event => {
    if (!event.ctrlKey && document.documentElement.scrollHeight > innerHeight) return; // there it scrolls the page
    event.preventDefault();
    zoom(event.deltaY < 0 ? 1.2 : 1 / 1.2, inBoard(event));
  }, { passive: false });
  board.onpointerdown = event => { pointers.set(event.pointerId, event); tip(event, about(event)); };
  board.onpointermove = dragged;
  board.onpointerleave = event => { pointers.delete(event.pointerId); tip(null); };
  onpointerup = onpointercancel = event => pointers.delete(event.pointerId);
  board.ondblclick = event => view[2] < whole[2] ? look(whole) : zoom(2.5, inBoard(event));
} else {
  document.querySelector("main").replaceChildren($("tables"));
  $("zoom").hidden = true;
}

// The page

$("title").textContent = game.title;
for (const [at, step] of game.steps.entries()) {
  const played = element("span", { className: "text", title: [step.text, ...step.facts].join("\n") }, ...(step.seat ? [chip(step.colour)] : []),
    at ? step.text : "the game is set up", " ", element("small", { textContent: step.summary }));
  $("log").append(element("li", {}, element("a", { href: `#${at}` }, element("span", { className: "number", textContent: at }), played)));
  if (step.round) $("log").append(element("li", { className: "round", textContent: step.round }));
}
$("graphs").append(...game.series.flatMap(graph));
$("slider").max = last;
$("slider").oninput = event => show(Number(event.target.value));
const moves = { first: () => show(0), back: () => show(now - 1), next: () => show(now + 1), last: () => show(last), play };
const sizes = game.box ? { closer: () => zoom(1.5), further: () => zoom(1 / 1.5), whole: () => look(whole) } : {};
for (const [id, does] of Object.entries({ ...moves, ...sizes })) $(id).onclick = does;
const keys = { ArrowLeft: moves.back, ArrowRight: moves.next, Home: moves.first, End: moves.last, " ": play,
  ArrowUp: () => show(round(-1)), ArrowDown: () => show(round(1)), "+": sizes.closer, "-": sizes.further, "0": sizes.whole };
addEventListener("keydown", event => {
  const does = event.ctrlKey || event.altKey || event.metaKey ? null : keys[event.key];
  if (does) { event.preventDefault(); does(); }
});
addEventListener("hashchange", () => show(wanted()));
show(wanted());
