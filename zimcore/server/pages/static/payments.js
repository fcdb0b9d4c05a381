// Payments: next to the players while a move is previewed; they slide from one to the other when it is played.
import { $, element } from "./drawing.js";

const still = matchMedia("(prefers-reduced-motion: reduce)");
const seatOf = seat => [...document.querySelectorAll("#seatbar [data-seat]")].find(each => each.dataset.seat === seat);

/**
 * The payments of a move, and how the money in the player's hand changes. Players can also pay themselves.
 * @typedef {{ seat: string, hand: Record<string, number>, transfers: import("./state.js").Transfer[] }} Payments
 */

/** @type {Payments} */
export const NONE = { seat: "", hand: {}, transfers: [] };
let looked = NONE;

/** Shows what each player would pay or get by the previewed move; the last one by default. */
export function showPayments(payments = looked) {
  const { seat: player, hand, transfers } = (looked = payments);
  for (const old of document.querySelectorAll("#seatbar .pays")) old.remove();
  const sums = new Map(),
    add = (seat, amount, what) => {
      const key = JSON.stringify([seat, what]);
      if (seat) sums.set(key, (sums.get(key) ?? 0) + amount);
    };
  for (const { source, target, amount, what } of transfers) {
    add(source, -(amount ?? NaN), what); // a hidden amount makes the sum unknown
    add(target, amount ?? NaN, what);
  }
  for (const [what, change] of Object.entries(hand)) sums.set(JSON.stringify([player, what]), change);
  for (const [key, sum] of sums) {
    const [seat, what] = JSON.parse(key),
      gets = sum > 0;
    if (sum === 0) continue;
    const text = Number.isNaN(sum) ? `? ${what}` : `${gets ? "◂ +" : "▸ −"}${Math.abs(sum)} ${what}`;
    seatOf(seat)
      ?.querySelector(".person b")
      .after(" ", element("span", { className: gets ? "pays gets" : "pays", textContent: text }));
  }
}

/**
 * Lets payments slide from payer to payee within the bar of the players, so that they cover no piece of the board.
 * @param {import("./state.js").Transfer[]} transfers
 */
export function slidePayments(transfers) {
  for (const old of document.querySelectorAll("#players .coin")) old.remove();
  if (still.matches) return;
  const sums = new Map();
  for (const { source, target, amount } of transfers) {
    const way = JSON.stringify([source, target]);
    sums.set(way, (sums.get(way) ?? 0) + (amount ?? NaN)); // a hidden amount makes the sum unknown
  }
  for (const [way, sum] of sums) {
    const [from, to] = JSON.parse(way).map(seat => seatOf(seat)?.querySelector(".chip").getBoundingClientRect());
    if (from && to) slide(from, to, Number.isNaN(sum) ? "?" : sum);
  }
}

function slide(from, to, amount) {
  const bar = $("players"),
    frame = bar.getBoundingClientRect();
  const coin = element("span", { className: "coin", textContent: amount, ariaHidden: "true" });
  bar.append(coin);
  const at = place => `translate(${place.left - frame.left}px, ${place.top - frame.top}px)`;
  const slid = coin.animate([{ transform: at(from) }, { transform: at(to) }], { duration: 900, easing: "ease-in-out" });
  slid.onfinish = slid.oncancel = () => coin.remove();
}
