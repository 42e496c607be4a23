(() => {
  "use strict";
  const root = document.documentElement;
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  root.classList.add("js");

  // Light and dark: the system's choice until the reader makes another.
  const theme = document.getElementById("theme");
  const stored = { get: () => { try { return localStorage.getItem("crowdproof-theme"); } catch { return null; } },
                   set: (value) => { try { localStorage.setItem("crowdproof-theme", value); } catch { /* a sandbox */ } } };
  const dark = () => root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  const name = () => { theme.textContent = dark() ? "Light" : "Dark"; theme.setAttribute("aria-label", `Switch to ${dark() ? "light" : "dark"} colours`); };
  if (["light", "dark"].includes(stored.get())) root.dataset.theme = stored.get();
  theme.addEventListener("click", () => { root.dataset.theme = dark() ? "light" : "dark"; stored.set(root.dataset.theme); name(); });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", name);
  name();

  // Show one verdict or all.
  const chips = all("[data-show]"), findings = all(".finding"), status = document.getElementById("shown");
  const show = (verdict) => {
    findings.forEach((each) => { each.hidden = verdict !== "" && each.dataset.verdict !== verdict; });
    chips.forEach((each) => each.setAttribute("aria-pressed", String(each.dataset.show === verdict)));
    status.textContent = `${findings.filter((each) => !each.hidden).length} of ${findings.length} findings shown`;
  };
  chips.forEach((chip) => chip.addEventListener("click", () => show(chip.dataset.show)));

  const sections = all(".finding > details"), unfold = document.getElementById("unfold");
  if (unfold) unfold.addEventListener("click", () => {
    const open = unfold.getAttribute("aria-pressed") !== "true";
    sections.forEach((each) => { each.open = open; });
    unfold.setAttribute("aria-pressed", String(open));
    unfold.textContent = open ? "Fold all" : "Unfold all";
  });

  // A link to a section opens it.
  const follow = () => { const aim = document.getElementById(location.hash.slice(1)); const inner = aim && aim.querySelector("details"); if (inner) { aim.hidden = false; inner.open = true; aim.scrollIntoView(); } };
  addEventListener("hashchange", follow);
  follow();

  const select = (node) => { const range = document.createRange(); range.selectNodeContents(node); const selection = getSelection(); selection.removeAllRanges(); selection.addRange(range); };
  const copy = async (node) => {
    try { await navigator.clipboard.writeText(node.textContent); return true; } catch { select(node); }
    try { return document.execCommand("copy"); } catch { return false; }
  };
  all(".copy").forEach((button) => button.addEventListener("click", async () => {
    const done = await copy(button.parentElement.querySelector("code"));
    button.textContent = done ? "Copied" : "Press Ctrl+C";
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  }));

  // Paper has no folds.
  let folded = [];
  addEventListener("beforeprint", () => { folded = all("details:not([open]):not(.numbers)"); folded.forEach((each) => { each.open = true; }); });
  addEventListener("afterprint", () => folded.forEach((each) => { each.open = false; }));
})();
