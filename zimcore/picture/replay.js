const game = JSON.parse(document.getElementById("game").textContent);
const last = game.steps.length - 1;
let now = -1,
  timer = null,
  better = -1; // of a better turn, the step that is shown

const chip = colour => element("span", { className: "chip", style: `background:${colour}` });

function table({ title, heads, rows }) {
  const cell = (text, at, colour) => {
    const made = element("td", {}, ...(at || !colour ? [] : [chip(colour)]), text.replaceAll("_", " "));
    made.dataset.head = heads[at];
    return made;
  };
  return element(
    "table",
    {},
    ...(game.box ? [] : [element("caption", { textContent: title })]),
    element("thead", {}, element("tr", {}, ...heads.map(head => element("th", { textContent: head })))),
    element(
      "tbody",
      {},
      ...rows.map(({ colour, cells }) => element("tr", {}, ...cells.map((text, at) => cell(text, at, colour)))),
    ),
  );
}

// Moving through the match

function put(step, status) {
  if (game.box)
    $("board").innerHTML = step.drawing.map(part => `<g data-part="${part}">${game.parts[part].drawing}</g>`).join("");
  $("status").textContent = `${status} · ${step.status}`;
  $("tables").replaceChildren(...step.tables.map(table));
  $("facts").replaceChildren(...step.facts.map(fact => element("li", { textContent: fact })));
}

function show(number) {
  number = Math.max(0, Math.min(last, number));
  if (number === now && better < 0) return;
  [now, better] = [number, -1];
  const step = game.steps[now];
  put(step, `after move ${now} of ${last}`);
  note(step);
  $("slider").value = now;
  document.querySelector("#log a[aria-current]")?.removeAttribute("aria-current");
  const line = document.querySelector(`#log a[href="#${now}"]`);
  line.setAttribute("aria-current", "step");
  const log = $("log"),
    top = line.offsetTop - log.offsetTop; // scrollIntoView would move the page as well
  if (top < log.scrollTop || top + line.offsetHeight > log.scrollTop + log.clientHeight)
    log.scrollTop = top - log.clientHeight / 2;
  for (const cursor of document.querySelectorAll(".now")) cursor.setAttribute("transform", `translate(${now} 0)`);
  if (location.hash !== `#${now}`) history.replaceState(null, "", `#${now}`);
}

// What a program thinks of a turn, and the better one: it is stepped through in the place of the turn that was played

function note(step) {
  const lines = step.better ?? [];
  $("note").hidden = !step.note;
  $("note").replaceChildren(
    step.note ?? "",
    ...(lines.length
      ? [
          " ",
          element("button", {
            textContent: better < 0 ? "show it" : "back to what was played",
            title: better < 0 ? "b" : "Escape",
            onclick: () => (better < 0 ? think(0) : show(now)),
          }),
        ]
      : []),
  );
}

function think(at) {
  const step = game.steps[now],
    lines = step.better ?? [];
  if (!lines.length) return;
  better = Math.max(0, Math.min(lines.length - 1, at));
  put(lines[better], `a better turn: ${better + 1} of ${lines.length} · ${lines[better].text}`);
  note(step);
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
  if (timer) {
    clearInterval(timer);
    timer = null;
  } else timer = setInterval(() => (now < last ? show(now + 1) : play()), 900);
  $("play").textContent = timer ? "stop" : "play";
}

// What is under the pointer

function since(part) {
  let move = now;
  while (move > 0 && game.steps[move - 1].drawing.includes(part)) move--;
  return move;
}

function about(event) {
  const at = zoomed.inBoard(event),
    name = game.squares[Math.floor(at.y / game.side)]?.[Math.floor(at.x / game.side)] ?? "";
  const part = event.target.closest("[data-part]")?.dataset.part;
  const what = part === undefined ? "" : game.parts[part].about;
  return [name, what, what ? `as it is since move ${since(Number(part))}` : ""].filter(Boolean).join(" · ");
}

const zoomed = game.box ? zoomable($("board"), game.box, about) : null;
if (!zoomed) {
  document.querySelector("main").replaceChildren($("tables"));
  $("zoom").hidden = true;
}

// The page

$("title").textContent = game.title;
for (const [at, step] of game.steps.entries()) {
  const played = element(
    "span",
    { className: "text", title: [step.text, ...step.facts].join("\n") },
    ...(step.seat ? [chip(step.colour)] : []),
    at ? step.text : "the game is set up",
    " ",
    element("small", { textContent: step.summary }),
  );
  $("log").append(
    element(
      "li",
      {},
      element("a", { href: `#${at}` }, element("span", { className: "number", textContent: at }), played),
      ...(step.link
        ? [element("a", { className: "site", href: step.link, title: "on its site", textContent: "↗" })]
        : []),
    ),
  );
  if (step.round) $("log").append(element("li", { className: "round", textContent: step.round }));
}
const rounds = game.steps.flatMap((step, move) => (step.round ? [move] : []));
const figures = at => game.seats.map((_, seat) => game.steps.map(step => step.figures[seat]?.[at] ?? null));
$("graphs").append(...game.series.flatMap((name, at) => graph(name, game.seats, figures(at), rounds, show)));
$("slider").max = last;
$("slider").oninput = event => show(Number(event.target.value));
const one = (way, other) => (better < 0 ? other() : better + way < 0 ? show(now) : think(better + way));
const moves = {
  first: () => show(0),
  back: () => one(-1, () => show(now - 1)),
  next: () => one(1, () => show(now + 1)),
  last: () => show(last),
  play,
};
const sizes = zoomed ? { closer: zoomed.closer, further: zoomed.further, whole: zoomed.whole } : {};
for (const [id, does] of Object.entries({ ...moves, ...sizes })) $(id).onclick = does;
const keys = {
  ArrowLeft: moves.back,
  ArrowRight: moves.next,
  Home: moves.first,
  End: moves.last,
  " ": play,
  ArrowUp: () => show(round(-1)),
  ArrowDown: () => show(round(1)),
  b: () => think(0),
  Escape: () => show(now),
  "+": sizes.closer,
  "-": sizes.further,
  0: sizes.whole,
};
addEventListener("keydown", event => {
  const does = event.ctrlKey || event.altKey || event.metaKey ? null : keys[event.key];
  if (does) {
    event.preventDefault();
    does();
  }
});
addEventListener("hashchange", () => show(wanted()));
show(wanted());
