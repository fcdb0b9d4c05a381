// The course of a finished game: a wide curve with axes below the board. A click on it steps to a move.
import { $, drawn, tip } from "./drawing.js";
import { isOver } from "./people.js";
import { show } from "./steps.js";
import { state } from "./state.js";

const LEFT = 40,
  RIGHT = 12,
  TOP = 10,
  BOTTOM = 22,
  HEIGHT = 150;
const scale = { step: 1, width: 0 };
let drawnOf = [];

function label(text, at, attributes) {
  const made = drawn("text", { ...at, class: "axis", ...attributes });
  made.textContent = text;
  return made;
}

/** Draws the chances of all players by move, or their points where no program judges them. */
export function course(chances = drawnOf) {
  drawnOf = chances;
  const place = $("course"),
    { all } = state;
  place.hidden = !isOver() || !all || all.steps.length < 3;
  if (place.hidden) return;
  const judged = chances.length > 0,
    last = all.steps.length - 1;
  const values = judged ? chances : all.seats.map((_, seat) => all.steps.map(step => step.figures[seat]?.[0] ?? null));
  const name = judged ? "chance to win, %" : all.series[0];
  const most = judged ? 100 : Math.max(1, ...values.flat().filter(value => value !== null));
  const width = (scale.width = wide());
  scale.step = (width - LEFT - RIGHT) / last;
  const x = move => LEFT + move * scale.step,
    y = value => TOP + (1 - value / most) * (HEIGHT - TOP - BOTTOM);
  const line = figures =>
    figures
      .map((value, move) =>
        value === null
          ? ""
          : `${move && figures[move - 1] !== null ? "L" : "M"}${x(move).toFixed(1)} ${y(value).toFixed(1)}`,
      )
      .join("");
  const rounds = all.steps.filter(step => step.round),
    every = Math.ceil((rounds.length * 60) / width);
  const heights = [0, 0.5, 1].map(part => Math.round(part * most));
  const svg = drawn(
    "svg",
    { viewBox: `0 0 ${width} ${HEIGHT}`, role: "img", "aria-label": `${name} of each player by move` },
    ...heights.flatMap(value => [
      drawn("path", { class: "grid", d: `M${LEFT} ${y(value)}H${width - RIGHT}` }),
      label(value, { x: LEFT - 6, y: y(value) + 4 }, { "text-anchor": "end" }),
    ]),
    ...rounds.flatMap((step, at) => [
      drawn("path", { class: "grid", d: `M${x(step.number)} ${TOP}V${HEIGHT - BOTTOM}` }),
      ...(at % every
        ? []
        : [
            label(step.round.replace("round ", "r"), { x: x(step.number), y: HEIGHT - 6 }, { "text-anchor": "middle" }),
          ]),
    ]),
    ...values.flatMap((figures, seat) => [
      drawn("path", { class: "under", d: line(figures) }),
      drawn("path", { class: "over", d: line(figures), stroke: all.seats[seat].colour }),
    ]),
    drawn("path", { class: "now", d: `M${LEFT} ${TOP}V${HEIGHT - BOTTOM}` }),
  );
  const move = event =>
    Math.max(
      0,
      Math.min(
        last,
        Math.round(
          (((event.clientX - svg.getBoundingClientRect().left) / svg.getBoundingClientRect().width) * width - LEFT) /
            scale.step,
        ),
      ),
    );
  svg.onclick = event => show(move(event));
  svg.onpointermove = event =>
    tip(
      event,
      [
        `after move ${move(event)}: ${name}`,
        ...all.seats.map((seat, at) => `${seat.name} ${values[at][move(event)] ?? "?"}`),
      ].join("\n"),
    );
  svg.onpointerleave = () => tip(null);
  const caption = drawn("text", { class: "axis", x: LEFT + 6, y: TOP + 2, "dominant-baseline": "hanging" });
  caption.textContent = name;
  svg.append(caption);
  place.replaceChildren(svg);
  pointAt(state.shown);
}

const wide = () => Math.max(300, $("course").clientWidth || 800);

/** Draws it again when the width of the window has changed, so that its text keeps its size. */
export function fit() {
  if (!$("course").hidden && wide() !== scale.width) course();
}

/** Moves the cursor of the curve to a move. */
export function pointAt(number) {
  $("course")
    .querySelector(".now")
    ?.setAttribute("transform", `translate(${number * scale.step} 0)`);
}
