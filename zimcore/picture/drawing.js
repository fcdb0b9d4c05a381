"use strict";
// What the page of a replay and the page of a game have in common: elements, graphs, the board that is zoomed.

const SVG = "http://www.w3.org/2000/svg";
export const $ = id => document.getElementById(id);

export function element(name, properties, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

export function drawn(name, attributes, ...children) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

// Graphs: a unit to a move, and one for each step of a figure. `values` are the figures of each seat by move

export function graph(name, seats, values, rounds, show) {
  const known = values.flat().filter(value => value !== null),
    last = values[0]?.length - 1;
  if (!known.length || last < 1) return [];
  const low = Math.min(...known),
    high = Math.max(low + 1, ...known);
  const line = figures =>
    figures
      .map((value, move) =>
        value === null ? "" : `${move && figures[move - 1] !== null ? "L" : "M"}${move} ${high - value}`,
      )
      .join("");
  const svg = drawn(
    "svg",
    {
      viewBox: `0 0 ${last} ${high - low}`,
      preserveAspectRatio: "none",
      role: "img",
      "aria-label": `${name} of each player by move`,
    },
    ...rounds.map(move => drawn("path", { class: "grid", d: `M${move} 0V${high - low}` })),
    ...(low <= 0 ? [drawn("path", { class: "grid", d: `M0 ${high}H${last}` })] : []),
    ...values.flatMap((figures, seat) => [
      drawn("path", { class: "under", d: line(figures) }),
      drawn("path", { class: "over", d: line(figures), stroke: seats[seat].colour }),
    ]),
    drawn("path", { class: "now", d: `M0 0V${high - low}` }),
  );
  const move = event => {
    const box = svg.getBoundingClientRect();
    return Math.max(0, Math.min(last, Math.round(((event.clientX - box.left) / box.width) * last)));
  };
  svg.onclick = event => show(move(event));
  svg.onpointermove = event =>
    tip(
      event,
      [
        `after move ${move(event)}: ${name}`,
        ...seats.map((seat, n) => `${seat.name} ${values[n][move(event)] ?? "?"}`),
      ].join("\n"),
    );
  svg.onpointerleave = () => tip(null);
  return [element("figure", {}, element("figcaption", { textContent: `${name} (${low} to ${high})` }), svg)];
}

// What is under the pointer

export function tip(event, text) {
  $("tip").hidden = !event || !text;
  if ($("tip").hidden) return;
  $("tip").textContent = text;
  const { width, height } = $("tip").getBoundingClientRect();
  $("tip").style.left = `${Math.max(4, Math.min(innerWidth - width - 4, event.clientX + 14))}px`;
  $("tip").style.top =
    `${event.clientY + 18 + height > innerHeight ? event.clientY - height - 10 : event.clientY + 18}px`;
}

// Zoom: a smaller part of the plane in the same frame. `about` says what is under the pointer

export function zoomable(board, box, about) {
  const whole = box.split(" ").map(Number),
    pointers = new Map();
  let view = null;

  const inBoard = event => new DOMPoint(event.clientX, event.clientY).matrixTransform(board.getScreenCTM().inverse());

  function look([x, y, width, height]) {
    const scale = Math.min(1, whole[2] / width);
    [width, height] = [width * scale, height * scale];
    x = Math.max(whole[0], Math.min(whole[0] + whole[2] - width, x));
    y = Math.max(whole[1], Math.min(whole[1] + whole[3] - height, y));
    view = [x, y, width, height];
    board.setAttribute("viewBox", view.join(" "));
    board.classList.toggle("near", width < whole[2] - 1);
  }

  function zoom(by, at) {
    const [x, y, width, height] = view,
      to = Math.max(whole[2] / 8, Math.min(whole[2], width / by));
    const scale = to / width;
    at ??= { x: x + width / 2, y: y + height / 2 };
    look([at.x - (at.x - x) * scale, at.y - (at.y - y) * scale, to, height * scale]);
  }

  function dragged(event) {
    if (!pointers.has(event.pointerId)) return tip(event, about(event));
    const before = pointers.get(event.pointerId),
      unit = 1 / board.getScreenCTM().a;
    const others = [...pointers].filter(([id]) => id !== event.pointerId).map(([, at]) => at);
    if (others.length) {
      const [other] = others,
        far = at => Math.hypot(at.clientX - other.clientX, at.clientY - other.clientY);
      zoom(
        far(event) / Math.max(far(before), 1),
        inBoard({ clientX: (event.clientX + other.clientX) / 2, clientY: (event.clientY + other.clientY) / 2 }),
      );
    } else if (view[2] < whole[2]) {
      look([
        view[0] - (event.clientX - before.clientX) * unit,
        view[1] - (event.clientY - before.clientY) * unit,
        view[2],
        view[3],
      ]);
    }
    pointers.set(event.pointerId, event);
  }

  look(whole);
  board.addEventListener(
    "wheel",
    event => {
      if (!event.ctrlKey && document.documentElement.scrollHeight > innerHeight) return; // there it scrolls the page
      event.preventDefault();
      zoom(event.deltaY < 0 ? 1.2 : 1 / 1.2, inBoard(event));
    },
    { passive: false },
  );
  board.onpointerdown = event => {
    pointers.set(event.pointerId, event);
    tip(event, about(event));
  };
  board.onpointermove = dragged;
  board.onpointerleave = event => {
    pointers.delete(event.pointerId);
    tip(null);
  };
  addEventListener("pointerup", event => pointers.delete(event.pointerId));
  addEventListener("pointercancel", event => pointers.delete(event.pointerId));
  board.ondblclick = event => (view[2] < whole[2] ? look(whole) : zoom(2.5, inBoard(event)));
  return { inBoard, closer: () => zoom(1.5), further: () => zoom(1 / 1.5), whole: () => look(whole) };
}
