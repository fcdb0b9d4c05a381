// Follows a game: each message builds on the one before. A page that has missed one reads all steps again.
import { $ } from "./drawing.js";
import { moved, refresh, showAsked } from "./beside.js";
import { graphs, judge } from "./judgement.js";
import { choose } from "./moves.js";
import { withNames } from "./people.js";
import { askAgain, persist } from "./requests.js";
import { noteSeen, paced, replayMissed } from "./replay.js";
import { append, load, moveText, show } from "./steps.js";
import { tellMove } from "./turn.js";
import { connection, lastStep, page, query, state, wait } from "./state.js";

const HIDDEN = 3; // hidden tabs of a browser that may follow their games at once: it has six connections to a server
const LONGEST = 30000;
const link = {
  source: null,
  opened: false,
  coming: false,
  pause: 500,
  later: 0,
  graphs: 0,
  let: null,
  loaded: null,
  commits: 0,
};
let queue = Promise.resolve();

const next = work => {
  queue = queue.then(work).catch(lost);
};
export const isLive = () => link.source?.readyState === EventSource.OPEN;

function played({ step, parts }) {
  const { all } = state;
  if (all.steps[step.number]?.digest === step.digest) return true;
  if (all.steps[step.number - 1]?.digest !== step.parent || step.number !== all.steps.length) return false;
  Object.assign(all.parts, parts);
  all.steps.push(step);
  append(step);
  tellMove();
  $("news").textContent = `${moveText(step.number)}. ${withNames(step.status)}`;
  show(state.follows ? lastStep() : state.shown);
  noteSeen();
  clearTimeout(link.graphs); // the move is drawn first
  link.graphs = setTimeout(graphs, 50);
  moved();
  return true;
}

async function anew() {
  await load();
  graphs();
  await choose();
  refresh();
  moved();
}

export function follow() {
  link.commits = 0;
  link.source?.close();
  const source = new EventSource(`${page.here}/feed?${query()}`);
  const on = (name, does) => source.addEventListener(name, event => next(() => does(JSON.parse(event.data))));
  on("standing", async ({ digest }) => {
    await link.loaded;
    if (state.all?.steps.at(-1).digest !== digest) await anew();
  });
  source.addEventListener("commit", () => link.commits++);
  on("commit", async data => {
    link.commits--;
    if (!played(data)) return anew();
    await paced(data.step, link.commits);
    if (page.seat) return choose();
    clearTimeout(link.later); // spectators ask at random times, not all at once
    link.later = setTimeout(choose, 300 * Math.random());
  });
  on("head", anew);
  for (const name of ["seats", "talk"]) on(name, () => refresh());
  for (const name of page.asks)
    on(name, async () => {
      refresh();
      await choose();
    });
  source.onopen = () => {
    link.pause = 500;
    connection("");
    askAgain();
    if (link.opened) choose(); // a restarted server has forgotten the request
    link.opened = true;
  };
  source.onerror = () => {
    connection("not connected; trying again");
    if (source.readyState === EventSource.CLOSED) lost(); // else the browser tries again by itself
  };
  link.source = source;
}

async function lost() {
  if (link.coming) return;
  link.coming = true;
  link.source?.close();
  connection("not connected; trying again");
  link.pause = Math.min(link.pause * 2, LONGEST);
  await Promise.race([
    wait(link.pause * (0.5 + Math.random())),
    new Promise(done => addEventListener("online", done, { once: true })),
  ]);
  link.coming = false;
  if (!document.hidden || link.let) follow();
}

// Hidden tabs follow their games only while the browser has connections to spare. Without locks no hidden tab does

async function hide() {
  if (!navigator.locks) return link.source?.close();
  for (let slot = 0; slot < HIDDEN; slot++) if (await hold(`zim-hidden-${slot}`)) return undefined;
  if (document.hidden) link.source?.close();
  return undefined;
}

function hold(name) {
  return new Promise(done => {
    navigator.locks.request(name, { ifAvailable: true }, lock => {
      if (!lock || !document.hidden) return done(!document.hidden);
      done(true);
      return new Promise(free => {
        link.let = free;
      });
    });
  });
}

function seen() {
  link.let?.();
  link.let = null;
  if (!isLive() && !link.coming) follow();
}

export function start() {
  document.addEventListener("visibilitychange", () => (document.hidden ? hide() : seen()));
  // A page that the browser keeps for its back button would keep a connection, too
  addEventListener("pagehide", () => {
    link.let?.();
    link.source?.close();
  });
  addEventListener("pageshow", event => {
    if (event.persisted) follow();
  });
  addEventListener("online", () => {
    // at once, not at some later time
    if (!link.coming && !isLive()) follow();
  });
  link.loaded = persist("steps", load).then(graphs);
  link.loaded
    .then(showAsked)
    .then(replayMissed)
    .then(judge)
    .then(showAsked) // what it adds stands above
    .catch(() => {}); // the chances are not needed now
  if (document.hidden)
    hide().then(() => {
      if (link.let) follow();
    });
  else follow();
}
