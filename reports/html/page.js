"use strict";
// Sorting by a click on a head: numbers by their data, words by the alphabet; rows that sum up stay last.
const keyOf = (cell) => {
  if (cell.dataset.v !== undefined) return Number(cell.dataset.v);
  const text = cell.textContent.trim();
  return text === "" || text === "-" || text === "–" ? null : text;
};
const compare = (a, b) => {
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a).localeCompare(String(b), "en", {numeric: true});
};
for (const table of document.querySelectorAll("table")) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => head.firstChild.addEventListener("click", () => {
    const down = head.getAttribute("aria-sort") === "ascending";
    heads.forEach((other) => other.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const body = table.tBodies[0];
    const isSum = (row) => row.cells[0].classList.contains("sum");
    const rows = [...body.rows].sort((x, y) => {
      if (isSum(x) !== isSum(y)) return isSum(x) ? 1 : -1;
      const a = keyOf(x.cells[column]), b = keyOf(y.cells[column]);
      if (a === null || b === null) return (a === null) - (b === null);  // what has no value comes last
      return down ? -compare(a, b) : compare(a, b);
    });
    body.append(...rows);
  }));
}
for (const input of document.querySelectorAll("input[data-for]")) {
  const rows = [...document.getElementById(input.dataset.for).tBodies[0].rows];
  input.addEventListener("input", () => {
    const words = input.value.toLowerCase().split(/\s+/);
    for (const row of rows) row.hidden = !words.every((word) => row.textContent.toLowerCase().includes(word));
  });
}
// One tooltip for all marks; their <title> says the same without a script.
const tip = document.getElementById("tip");
for (const mark of document.querySelectorAll(".mark")) {
  const title = mark.querySelector("title");
  const text = title.textContent;
  const show = (event) => {
    title.textContent = "";  // or the browser's own would come too
    tip.textContent = text;
    tip.hidden = false;
    const x = Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 6);
    const y = event.clientY + 18 + tip.offsetHeight > innerHeight ? event.clientY - tip.offsetHeight - 10 : event.clientY + 18;
    tip.style.left = `${Math.max(6, x)}px`;
    tip.style.top = `${Math.max(6, y)}px`;
  };
  mark.addEventListener("pointermove", show);
  mark.addEventListener("pointerdown", show);
  mark.addEventListener("pointerleave", () => {
    title.textContent = text;
    tip.hidden = true;
  });
}
