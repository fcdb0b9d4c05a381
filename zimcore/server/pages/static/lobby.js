// Keeps the lobby up to date: whose turn it is, and how long ago the last move was.
const OFTEN = 15_000,
  title = document.title;
const icon = document.querySelector("link[rel=icon]"),
  usual = icon.href;

function times() {
  const unit = new Intl.RelativeTimeFormat(undefined, { numeric: "auto" });
  for (const each of document.querySelectorAll("time")) {
    const seconds = (Date.parse(each.dateTime) - Date.now()) / 1000,
      far = Math.abs(seconds);
    /** @type {[number, Intl.RelativeTimeFormatUnit]} */
    const [size, name] = far < 3600 ? [60, "minute"] : far < 86400 ? [3600, "hour"] : [86400, "day"];
    each.textContent = unit.format(Math.trunc(seconds / size), name);
  }
}

function turns() {
  const count = document.querySelectorAll("#games .turn").length;
  document.title = count ? `(${count}) Your turn · ${title}` : title;
  icon.href = count ? icon.dataset.turn : usual;
}

async function look() {
  const answer = await fetch("/", { headers: { Accept: "text/html", "Zim-Part": "games" } });
  if (!answer.ok) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const id of ["games", "watched"]) {
    const old = document.getElementById(id),
      now = fresh.getElementById(id);
    if (old && now && old.innerHTML !== now.innerHTML && !old.contains(document.activeElement)) old.replaceWith(now);
  }
  times();
  turns();
}

times();
turns();
setInterval(() => look().catch(() => {}), OFTEN); // after a lost connection the next try is at the usual time
document.addEventListener("visibilitychange", () => {
  if (!document.hidden) look().catch(() => {});
});
