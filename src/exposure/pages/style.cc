#include "exposure/pages/style.h"

namespace cairn::pages {

// Stone greys, one moss accent; hairlines instead of shadows. Where a page can be shown in parts,
// `:has()` does it, since there is no script.
const std::string_view kStyle = R"css(:root {
  color-scheme: light dark;
  --bg: light-dark(#fbfaf8, #141618); --panel: light-dark(#ffffff, #1b1e21);
  --sunk: light-dark(#f4f2ee, #101214); --line: light-dark(#e4e0d9, #2b3034);
  --edge: light-dark(#8d8a84, #6d747a); --text: light-dark(#1d2023, #e7e5e1);
  --soft: light-dark(#5d646a, #9aa1a7); --accent: light-dark(#2d6a5a, #6fbfa8);
  --accent-bg: light-dark(#e6f1ed, #1d2f2a); --on-accent: light-dark(#ffffff, #0e1512);
  --del: light-dark(#fbe9e7, #331b1a); --del-ink: light-dark(#a3332a, #f0948b);
  --warn: light-dark(#7d5200, #e0b05a); --warn-bg: light-dark(#fbf1dc, #2e2614);
  --mono: "JetBrains Mono", "SF Mono", ui-monospace, "DejaVu Sans Mono", monospace;
  --sans: Inter, system-ui, "Segoe UI", "Noto Sans CJK SC", sans-serif;
}
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; display: flex; flex-direction: column; background: var(--bg);
  color: var(--text); font: 15px/1.55 var(--sans); font-feature-settings: "cv11", "ss01"; }
a { color: var(--accent); text-underline-offset: 2px; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
header { display: flex; align-items: center; gap: 14px; height: 52px; padding: 0 20px;
  border-bottom: 1px solid var(--line); background: var(--panel); font-size: 14px; }
.brand { display: flex; gap: 9px; align-items: center; font-weight: 650; letter-spacing: -.01em;
  color: inherit; text-decoration: none; }
.brand svg { width: 22px; height: 22px; fill: var(--accent); }
.brand svg :nth-child(1) { opacity: .55; } .brand svg :nth-child(2) { opacity: .8; }
header form { margin: 0; } .who { margin-left: auto; color: var(--soft); overflow: hidden;
  text-overflow: ellipsis; white-space: nowrap; min-width: 0; }
main { width: 100%; max-width: 480px; margin: 0 auto; padding: 48px 20px 40px; flex: 1; }
main.wide { max-width: 620px; }
footer { padding: 16px 20px; text-align: center; font-size: 13px; color: var(--soft); }
h1 { font-size: 23px; line-height: 1.3; margin: 0 0 6px; letter-spacing: -.015em; font-weight: 640;
  overflow-wrap: anywhere; }
h2, legend { font-size: 13px; font-weight: 600; color: var(--soft); margin: 0 0 8px; padding: 0; }
p { margin: 0 0 14px; } .soft { color: var(--soft); } .small { font-size: 13px; }
code { font: 13px var(--mono); overflow-wrap: anywhere; }
.card { background: var(--panel); border: 1px solid var(--line); border-radius: 8px;
  padding: 22px; margin: 20px 0; }
.card > :last-child { margin-bottom: 0; }
label { display: block; font-weight: 550; }
.field { margin-bottom: 14px; } .field .hint { margin: 4px 0 0; }
input[type=text], input[type=password], select { width: 100%; min-height: 40px; margin-top: 5px;
  padding: 7px 11px; border: 1px solid var(--edge); border-radius: 7px; background: var(--bg);
  color: inherit; font: inherit; }
input[type=radio], input[type=checkbox] { width: 17px; height: 17px; margin: 0; flex: none;
  accent-color: var(--accent); }
input.code { font: 22px var(--mono); letter-spacing: .12em; text-align: center;
  text-transform: uppercase; min-height: 52px; }
button, .button { display: inline-flex; align-items: center; justify-content: center; min-height: 40px;
  padding: 0 16px; border: 1px solid var(--line); border-radius: 7px; background: var(--panel);
  color: var(--text); font: 550 15px var(--sans); cursor: pointer; text-decoration: none; }
button:hover, .button:hover { border-color: var(--edge); }
button.main, .button.main { background: var(--accent); border-color: var(--accent);
  color: var(--on-accent); }
button.main:hover, .button.main:hover { filter: brightness(1.06); }
button.plain { border-color: transparent; background: none; color: var(--soft); min-height: 32px;
  padding: 0 8px; font-size: 14px; }
button.plain:hover { color: var(--text); background: var(--sunk); }
button.whole, .button.whole { width: 100%; }
.or { display: flex; align-items: center; gap: 12px; margin: 16px 0; color: var(--soft);
  font-size: 13px; }
.or::before, .or::after { content: ""; flex: 1; border-top: 1px solid var(--line); }
details { margin-top: 18px; } summary { cursor: pointer; color: var(--soft); font-size: 14px; }
details[open] summary { margin-bottom: 12px; }
.alert { padding: 11px 14px; border-radius: 7px; margin: 16px 0; background: var(--del);
  color: var(--del-ink); }
.alert.good { background: var(--accent-bg); color: var(--accent); }
.alert.warn { background: var(--warn-bg); color: var(--warn); }
.chip { display: inline-flex; align-items: center; height: 22px; padding: 0 8px; border-radius: 11px;
  background: var(--sunk); color: var(--soft); font-size: 12px; border: 1px solid var(--line);
  vertical-align: 1px; }
.chip.good { background: var(--accent-bg); color: var(--accent); border-color: transparent; }
.chip.warn { background: var(--warn-bg); color: var(--warn); border-color: transparent; }
dl { margin: 0; } dl > div { display: grid; grid-template-columns: 140px 1fr; gap: 12px;
  padding: 11px 0; border-top: 1px solid var(--line); }
dl > div:first-child { border-top: 0; padding-top: 0; } dl > div:last-child { padding-bottom: 0; }
dt { color: var(--soft); font-size: 14px; } dd { margin: 0; overflow-wrap: anywhere; min-width: 0; }
dd form { display: inline; } dd button.plain { min-height: 24px; }
fieldset { border: 0; border-top: 1px solid var(--line); margin: 0; padding: 16px 0; min-width: 0; }
form.card fieldset:first-of-type { border-top: 0; padding-top: 0; }
legend { float: left; width: 100%; } legend + * { clear: both; }
.choice { display: flex; align-items: center; gap: 10px; padding: 6px 0; font-weight: 400;
  cursor: pointer; overflow-wrap: anywhere; min-width: 0; }
.choice > span { min-width: 0; }
.choice b { font-weight: 570; } .choice:has(:disabled) { cursor: default; }
.part { display: none; margin: 4px 0 8px 27px; }
.list { max-height: 232px; overflow-y: auto; border: 1px solid var(--line); border-radius: 7px;
  padding: 4px 12px; background: var(--bg); }
fieldset:has(#see-depots:checked) .part.depots, fieldset:has(#see-folder:checked) .part.folder {
  display: block; }
@supports not selector(:has(*)) { .part { display: block; } }
.actions { display: flex; gap: 10px; flex-wrap: wrap; } .actions > * { flex: 1 1 150px; }
table { width: 100%; border-collapse: collapse; } td { padding: 10px 0;
  border-top: 1px solid var(--line); vertical-align: middle; overflow-wrap: anywhere; }
tr:first-child td { border-top: 0; padding-top: 0; }
table:last-child tr:last-child td { padding-bottom: 0; } table + form { margin-top: 10px; } td.end { text-align: right; width: 1%;
  white-space: nowrap; padding-left: 12px; }
.sunk { background: var(--sunk); border: 1px solid var(--line); border-radius: 7px;
  padding: 10px 12px; display: block; }
@media (max-width: 520px) { main { padding-top: 28px; } .card { padding: 18px; }
  dl > div { grid-template-columns: 1fr; gap: 2px; } }
@media (forced-colors: active) { .brand svg { fill: CanvasText; } }
)css";

const std::string_view kSignInScript =
    R"js(// The code of a sign-in link stands behind the # of its address, so that no server's log has it. What
// is done here can be done by hand: paste the code into the form.
const ticket = location.hash.slice(1);
const form = document.getElementById("link");
if (form && /^[0-9A-Za-z]{20,64}$/.test(ticket)) {
  history.replaceState(null, "", location.pathname + location.search);
  form.elements.ticket.value = ticket;
  form.closest("details").open = true;
  // Whoever is signed in already should see that they would be somebody else.
  if (form.dataset.signedIn === "no") form.submit();
  else form.querySelector("button").focus();
}
)js";

const std::string_view kIcon =
    R"svg(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 22 22" fill="#2d6a5a"><ellipse cx="11" cy="4.6" rx="4" ry="2.4" opacity=".55"/><ellipse cx="11" cy="10.4" rx="6.6" ry="2.7" opacity=".8"/><ellipse cx="11" cy="17" rx="9.6" ry="3.2"/></svg>)svg";

}  // namespace cairn::pages
