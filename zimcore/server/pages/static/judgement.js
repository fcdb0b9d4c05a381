// What a program thinks of a game that is over: graphs of chances, where it turned, what was given away.
import { $, element, graph } from "./drawing.js";
import { show, turnText } from "./steps.js";
import { course } from "./course.js";
import { keepLinks, page, query, state } from "./state.js";
import { tooSoon } from "./requests.js";

const known = { of: "", asking: false, chances: [], better: [] };

export function graphs() {
  const { all } = state, rounds = all.steps.flatMap((step, move) => step.round ? [move] : []);
  const figures = at => all.seats.map((_, seat) => all.steps.map(step => step.figures[seat]?.[at] ?? null));
  $("graphs").replaceChildren(...all.series.flatMap((name, at) => graph(name, all.seats, figures(at), rounds, show)),
    ...(known.chances.length ? graph("chance to win, in percent", all.seats, known.chances, rounds, show) : []));
  course(known.chances);
  for (const cursor of document.querySelectorAll("#graphs .now")) cursor.setAttribute("transform", `translate(${state.shown} 0)`);
}

export async function judge() {
  const of = state.all?.steps.at(-1).digest;
  if (!$("now")?.dataset.judged || !of || known.of === of || known.asking) return;
  known.asking = true;
  const answer = await fetch(`${page.here}/chances?${query()}`).finally(() => { known.asking = false; });
  if (await tooSoon(answer)) {
    await judge();
    return;
  }
  if (!answer.ok) return;
  known.of = of;
  const { chances, turning, better } = await answer.json();
  known.chances = chances;
  known.better = better;
  $("turning").hidden = !turning.length;
  $("turning").replaceChildren(element("h3", { textContent: "Where it turned" }), element("ul", { className: "why" }, ...turning.map(number =>
    element("li", {}, stepTo(number), ...changes(chances, number)))));
  $("better").hidden = !better.length;
  $("better").replaceChildren(element("summary", { textContent: "What was given away" }), element("ul", { className: "why" }, ...better.map(each =>
    element("li", {}, stepTo(each.first), element("small", { textContent: ` ${each.said} ` }), ...(each.line ? [lineTo(each.line)] : [])))));
  for (const each of ["turning", "better"]) keepLinks($(each));
  graphs();
  marks();
}

export function marks() { // in the log, as those of chess have them
  for (const each of known.better) {
    const text = $("log").querySelector(`a[data-step="${each.last}"] .text`);
    if (text && !text.querySelector(".mark")) text.append(" ", element("b", { className: "mark", textContent: each.mark, title: each.said }));
  }
}

const lineTo = name => element("a", { href: `${page.here}?${new URLSearchParams({ ...(page.as && { as: page.as }), line: name })}`, className: "line", textContent: `see ${name}` });

function stepTo(number) {
  const link = element("a", { href: `?at=${number}` }, element("span", { className: "number", textContent: number }), turnText(number));
  link.dataset.step = number;
  return link;
}

const changes = (chances, number) => state.all.seats.flatMap((seat, at) => {
  const [before, after] = [chances[at][number - 1], chances[at][number]];
  return Math.abs(after - before) < 5 ? [] : [element("small", { textContent: ` · ${seat.name} ${before} → ${after} %` })];
});
