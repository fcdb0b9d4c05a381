// What stands beside the game: talk, takebacks, orders, and studying it. The server makes each part of the page anew.
import { $, element } from "./drawing.js";

export function beside({ here, asked, choose, said, failed, title }) {
  let at = "", waiting = null;

  // Parts that are fresh are exchanged one by one, so that what is typed beside them stays

  function freshen(html) {
    const heard = $("talk-list").children.length;
    for (const fresh of new DOMParser().parseFromString(html, "text/html").querySelectorAll(".fresh")) {
      const old = document.getElementById(fresh.id);
      if (!old || old.contains(document.activeElement) && document.activeElement.matches("input, select")) continue;
      const open = old.querySelector("details")?.open;
      old.replaceWith(fresh);
      if (open && fresh.querySelector("details")) fresh.querySelector("details").open = true;
    }
    times();
    if ($("around-problem").firstChild) $("around-problem").scrollIntoView({ block: "nearest" });
    const talk = $("talk-list");
    if (talk.children.length > heard) {
      $("talk").open = true;
      $("news").textContent = talk.lastElementChild.textContent;
    }
    talk.scrollTop = talk.scrollHeight;
  }

  const part = (name, more = {}) => fetch(`${here}?${asked({ at, ...more })}`, { headers: { "Zim-Part": name } });

  async function refresh() {
    clearTimeout(waiting); // what comes at once is read once
    waiting = setTimeout(() => part("around").then(answer => answer.text()).then(freshen).catch(failed), 150);
  }

  // Not all of it hangs on the moves: orders do, and clocks
  function moved() {
    if (document.querySelector("[data-live=yes]")) refresh();
    clearTimeout(moved.later); // who only watches does not ask in the same moment as all others who do
    if (studied.open) moved.later = setTimeout(() => study().catch(failed), 300 + 300 * Math.random());
    else moved.unseen = true;
  }

  function times() {
    for (const each of document.querySelectorAll("time")) {
      const then = new Date(each.dateTime), today = then.toDateString() === new Date().toDateString();
      each.textContent = then.toLocaleString([], { ...(today ? {} : { day: "numeric", month: "short" }), hour: "2-digit", minute: "2-digit" });
    }
  }

  // Questions

  const studied = $("study").querySelector("details");
  studied.addEventListener("toggle", () => { if (studied.open && moved.unseen) study().catch(failed); });

  async function study(more = {}, looks = true) {
    moved.unseen = false;
    const answer = await part("study", more), fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (Object.keys(more).length) studied.open = true;
    for (const id of ["because", "answer", "lines"]) {
      const found = fresh.getElementById(id);
      if (found && (id === "lines" ? !$(id).contains(document.activeElement) : found.textContent.trim())) $(id).replaceWith(found);
    }
    for (const [name, id] of [["why", "because"], ["ask", "answer"]]) {
      if (!more[name]) continue;
      $(name).value = more[name];
      if (looks) $(id).scrollIntoView({ block: "nearest" });
    }
    return answer.ok;
  }

  const why = what => study({ why: what }).catch(failed);

  // Of a square, where the answer stands far below the board: the beginning of it, which leads to the rest

  const below = matchMedia("(max-width: 61.99rem)");

  async function glance(square) {
    const answered = await study({ why: square }, !below.matches);
    const [said, last] = ["p", ".why li a"].map(each => $("because").querySelector(each)?.textContent ?? "");
    const more = element("button", { type: "button", textContent: "More of it", onclick: () => $("because").scrollIntoView() });
    $("glance").replaceChildren(element("p", { textContent: said }), element("p", { className: "soft", textContent: last }), more);
    $("glance").hidden = !below.matches || !answered || !said;
    if (!$("glance").hidden) $("glance").scrollIntoView({ block: "nearest" });
  }

  document.addEventListener("click", event => {
    const link = event.target.closest("a");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const asks = new URLSearchParams(link.getAttribute("href")?.replace(/^[^?]*/, "") ?? "");
    if (link.getAttribute("href")?.startsWith("?why=")) { event.preventDefault(); why(asks.get("why")); }
    else if (link.dataset.ask) { event.preventDefault(); study({ ask: link.dataset.ask }).catch(failed); }
    else if (link.dataset.say && link.closest("#answer")) { event.preventDefault(); said(link.dataset.say); $("act").scrollIntoView({ block: "nearest" }); }
  });

  document.addEventListener("submit", event => {
    const form = event.target, name = form.dataset.part;
    if (!name) return;
    event.preventDefault();
    const fields = new URLSearchParams(new FormData(form));
    if (form.method === "post") post(form, fields).catch(failed);
    else if (name === "study") study(Object.fromEntries([...fields].filter(([key]) => ["why", "ask"].includes(key)))).catch(failed);
    else part(name, Object.fromEntries(fields)).then(answer => answer.text()).then(html => { document.activeElement.blur(); freshen(html); }).catch(failed);
  });

  async function post(form, fields) {
    const button = form.querySelector("button");
    if (button.disabled) return;
    button.disabled = true;
    try {
      const answer = await fetch(form.action, { method: "POST", body: fields, headers: { "Zim-Part": "around" } });
      document.activeElement.blur();
      if (answer.status !== 204) return freshen(await answer.text());
      form.reset();
      form.elements.key.value = crypto.getRandomValues(new Uint32Array(6)).join("-"); // what is said next is something else
      refresh();
      await choose();
      if (form.elements.text) form.elements.text.focus();
    } finally {
      button.disabled = false; // where no answer came the key is the same: what was done is not done twice
    }
  }

  // Its turn, told by the browser: asked for by a button, and only while one looks elsewhere

  const tells = () => "Notification" in window && Notification.permission === "granted";
  const mine = () => Boolean($("now")?.dataset.mover), ended = () => Boolean($("now")?.dataset.over);
  let known = mine(), over = ended();

  function chosen() {
    asks();
    if (ended() !== over) refresh();
    over = ended();
    const news = mine() && !known;
    known = mine();
    if (!news || !tells() || !document.hidden) return;
    try {
      const told = new Notification("It is your turn", { body: title, tag: here });
      told.onclick = () => { focus(); told.close(); };
    } catch { /* a phone shows none without a worker; and no page in its background hears of a move */ }
  }

  const button = $("notify");
  button.onclick = async () => { await Notification.requestPermission(); asks(); };

  function asks() { // what is for those who play on goes when it is over
    button.hidden = ended() || !button.dataset.plays || !("Notification" in window) || Notification.permission !== "default";
    if ($("orders")) $("orders").hidden = ended();
  }

  asks();

  times();
  $("talk-list").scrollTop = $("talk-list").scrollHeight;
  return {
    refresh, moved, glance, chosen, tells,
    at(place, number) {
      at = place;
      $("glance").hidden = true;
      for (const each of document.querySelectorAll(".this-move")) each.value = place;
      for (const each of document.querySelectorAll(".this-place")) each.defaultValue = `${each.dataset.line}@${Math.max(0, number - each.dataset.back)}`; // what was typed stays
      if ($("about-this")) $("about-this").value = number;
    },
  };
}
