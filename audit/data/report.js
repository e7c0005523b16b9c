
"use strict";
{
  const form = document.getElementById("filters"), field = (name) => document.getElementById("f-" + name);
  const reasons = [...document.querySelectorAll(".reason")], rows = [...document.querySelectorAll("#heat tbody tr")];
  const heads = [...document.querySelectorAll("#heat thead th")].slice(1);
  const named = new Map(rows.map((row) => [row.dataset.r, row.querySelector("bdi").textContent.toLowerCase()]));
  const has = (text, part) => !part || (text || "").toLowerCase().includes(part);
  const show = () => {
    const [repository, name] = ["r", "n"].map((one) => field(one).value.trim().toLowerCase());
    const [license, usage, verdict] = ["l", "u", "v"].map((one) => field(one).value);
    const is = (own, wanted) => !wanted || own === wanted;
    const fitting = new Set([...named].filter(([, text]) => has(text, repository)).map(([number]) => number));
    let count = 0;
    const seen = new Set(), names = new Set(), any = name || license || usage || verdict;
    for (const one of reasons) {
      const own = one.dataset, where = own.r.split(" ").filter((number) => !repository || fitting.has(number));
      one.hidden = !(where.length && has(own.n, name) && is(own.l, license) && is(own.u, usage) && is(own.v, verdict));
      if (!one.hidden) { count += 1; names.add(own.n); where.forEach((number) => seen.add(number)); }
    }
    for (const row of rows) row.hidden = !fitting.has(row.dataset.r) || Boolean(any && !seen.has(row.dataset.r));
    heads.forEach((head, index) => {
      const own = head.dataset;
      const hide = "n" in own ? Boolean(any && !names.has(own.n)) : "l" in own && !(is(own.l, license) && is(own.u, usage));
      if (head.hidden === hide) return;
      head.hidden = hide;
      for (const row of rows) row.cells[index + 1].hidden = hide;
    });
    document.getElementById("shown").textContent = `Dependencies: ${count} of ${reasons.length}. Repositories: ${rows.filter((row) => !row.hidden).length}.`;
  };
  form.hidden = false;
  form.addEventListener("input", show);
  form.addEventListener("reset", () => setTimeout(show));
  form.addEventListener("submit", (event) => event.preventDefault());
  const open = () => {
    const target = /^#r\d+$/.test(location.hash) && document.getElementById(location.hash.slice(1));
    if (target) { target.hidden = false; target.querySelector("details").open = true; target.scrollIntoView({ block: "center" }); }
  };
  addEventListener("hashchange", open);
  document.addEventListener("click", (event) => { const link = event.target.closest("#heat a"); if (link && link.hash === location.hash) open(); });
  show();
  open();
}
