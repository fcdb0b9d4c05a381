// What a program thinks of a finished game: graphs of chances, its turning points, its mistakes.
import { $, drawn, element, graph } from "./drawing.js";
import { firstOfTurn, show, turnText } from "./steps.js";
import { course } from "./course.js";
import { keepLinks, page, query, state } from "./state.js";
import { request } from "./requests.js";

const known = { of: "", asking: false, chances: [], better: [] };

export function graphs() {
  const { all } = state,
    rounds = all.steps.flatMap((step, move) => (step.round ? [move] : []));
  const figures = at => all.seats.map((_, seat) => all.steps.map(step => step.figures[seat]?.[at] ?? null));
  $("graphs").replaceChildren(
    ...all.series.flatMap((name, at) => graph(name, all.seats, figures(at), rounds, show)),
    ...(known.chances.length ? graph("chance to win, in percent", all.seats, known.chances, rounds, show) : []),
  );
  course(known.chances);
  for (const cursor of document.querySelectorAll("#graphs .now"))
    cursor.setAttribute("transform", `translate(${state.shown} 0)`);
}

export async function judge() {
  const of = state.all?.steps.at(-1).digest;
  if (!$("now")?.dataset.judged || !of || known.of === of || known.asking) return;
  known.asking = true;
  const answer = await request(`${page.here}/chances?${query()}`).finally(() => {
    known.asking = false;
  });
  if (!answer.ok) return;
  known.of = of;
  const { chances, turning, better } = await answer.json();
  known.chances = chances;
  known.better = better;
  $("turning").hidden = !turning.length;
  $("turning").replaceChildren(
    element("h3", { textContent: "Where it turned" }),
    element(
      "ul",
      { className: "why" },
      ...turning.map(number =>
        element("li", {}, stepTo(number), ...changes(chances, number), ...tryFrom(firstOfTurn(number))),
      ),
    ),
  );
  $("better").hidden = !better.length;
  $("better").replaceChildren(
    element("summary", { textContent: "What was given away" }),
    element(
      "ul",
      { className: "why" },
      ...better.map(each =>
        element(
          "li",
          {},
          stepTo(each.first),
          element("small", { textContent: ` ${each.said} ` }),
          ...(each.line ? [lineTo(each.line)] : []),
          ...onBoard(each),
        ),
      ),
    ),
  );
  for (const each of ["turning", "better"]) keepLinks($(each));
  graphs();
  marks();
}

export function marks() {
  // marks in the log, as in chess
  for (const each of known.better) {
    const text = $("log").querySelector(`a[data-step="${each.last}"] .text`);
    if (text && !text.querySelector(".mark"))
      text.append(" ", element("b", { className: "mark", textContent: each.mark, title: each.said }));
  }
}

const lineTo = name =>
  element("a", {
    href: `${page.here}?${new URLSearchParams({ ...(page.as && { as: page.as }), line: name })}`,
    className: "line",
    textContent: `see ${name}`,
  });

function stepTo(number) {
  const link = element(
    "a",
    { href: `?at=${number}` },
    element("span", { className: "number", textContent: number }),
    turnText(number),
  );
  link.dataset.step = number;
  return link;
}

function onBoard({ first, ghost }) {
  if (!ghost.length || !$("board")) return [];
  const button = element("button", { type: "button", className: "try", textContent: "On the board" });
  button.onclick = () => show(first - 1);
  return [" ", button];
}

/** Draws the better turn on the board at the position before a mistake. */
export function drawBetter(number) {
  const board = $("board"),
    better = known.better.find(each => each.first - 1 === number);
  board?.querySelector(".better-turn")?.remove();
  if (!board || !better?.ghost.length || state.follows) return;
  const ghost = drawn("g", { class: "ghost better-turn" });
  ghost.innerHTML = better.ghost.join("");
  board.append(ghost);
}

/** A button that leads to the position before a turn, and to the form that begins a line there. */
function tryFrom(first) {
  const form = $("try-it");
  if (!form) return [];
  const button = element("button", {
    type: "button",
    className: "try",
    textContent: "Try it",
    title: "play another turn here, on a line of your own",
  });
  button.onclick = () => {
    show(first - 1);
    form.querySelector("details").open = true;
    form.elements.at.value = first - 1;
    form.elements.name.value = `try-${first}`;
    form.scrollIntoView({ block: "center" });
    form.querySelector("button").focus({ preventScroll: true });
  };
  return [" ", button];
}

const changes = (chances, number) =>
  state.all.seats.flatMap((seat, at) => {
    const [before, after] = [chances[at][number - 1], chances[at][number]];
    return Math.abs(after - before) < 5
      ? []
      : [element("small", { textContent: ` · ${seat.name} ${before} → ${after} %` })];
  });
