// The one style sheet of the page: light and dark, wide, narrow and printed.
export const styles = `
:root {
  color-scheme: light dark;
  --text: light-dark(#1c2330, #e4e8ef);
  --quiet: light-dark(#566072, #a3adbd);
  --ground: light-dark(#ffffff, #12161d);
  --raised: light-dark(#f5f7fa, #1a202a);
  --line: light-dark(#dbe0e8, #303947);
  --accent: light-dark(#0b5c8a, #74c0f0);
  --on-accent: light-dark(#ffffff, #0c1219);
  --good: light-dark(#1b6b36, #77cf92);
  --bad: light-dark(#a3262a, #ff9a94);
  --open: light-dark(#7d4b00, #f0b860);
  --broken: light-dark(#5b4694, #bcaaf2);
  font: 16px/1.55 system-ui, sans-serif;
}
* { box-sizing: border-box; }
body { margin: 0; color: var(--text); background: var(--ground); }
body.dragging::after { content: 'Drop the files here'; position: fixed; inset: 0.75rem; z-index: 5; display: grid; place-items: center; font-size: 1.5rem; font-weight: 600; color: var(--accent); border: 3px dashed var(--accent); border-radius: 12px; background: color-mix(in srgb, var(--ground) 88%, transparent); pointer-events: none; }
a { color: var(--accent); text-underline-offset: 0.15em; }
a:focus-visible, summary:focus-visible, input:focus-visible, button:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
#result:focus, h2:focus { outline: none; }
code { font-family: ui-monospace, 'Cascadia Mono', Menlo, Consolas, monospace; font-size: 0.875em; overflow-wrap: anywhere; }
h1 { font-size: 1.75rem; line-height: 1.2; margin: 0 0 0.75rem; }
h2 { font-size: 1.5rem; line-height: 1.25; margin: 0; }
h3 { font-size: 1.15rem; margin: 2rem 0 0.75rem; }
p { margin: 0 0 0.75rem; max-width: 68ch; }
[hidden] { display: none !important; }
.skip { position: absolute; left: -100vw; }
.skip:focus { left: 1rem; top: 0.5rem; z-index: 6; background: var(--ground); padding: 0.5rem 0.75rem; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); margin: 0; }
.banner { padding: 0.6rem 1.5rem; border-bottom: 1px solid var(--line); }
.brand { display: inline-flex; align-items: center; gap: 0.5rem; font-weight: 600; }
main { max-width: 60rem; margin: 0 auto; padding: 2.25rem 1.5rem 0; }
.foot { padding: 1.5rem; color: var(--quiet); font-size: 0.875rem; border-top: 1px solid var(--line); margin-top: 3rem; }
.lead { font-size: 1.1rem; color: var(--quiet); }
.mode { padding-left: 0.9rem; border-left: 3px solid var(--good); }
[data-through=service] .mode { border-color: var(--open); }
.slots { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fit, minmax(min(15.5rem, 100%), 1fr)); margin: 1.5rem 0 0.75rem; }
.slot { display: flex; flex-direction: column; padding: 1rem; border: 1.5px dashed var(--line); border-radius: 10px; background: var(--raised); min-width: 0; }
.slot.filled { border-style: solid; border-color: var(--accent); }
.slot label { font-weight: 600; }
.slot p { color: var(--quiet); font-size: 0.9375rem; margin: 0 0 0.75rem; flex: 1; }
.slot input { font: inherit; font-size: 0.9375rem; width: 100%; min-width: 0; color: var(--quiet); }
.filled input { color: inherit; }
.slot input::file-selector-button { font: inherit; font-weight: 600; margin-right: 0.75rem; padding: 0.35rem 0.8rem; color: var(--accent); background: var(--ground); border: 1px solid var(--line); border-radius: 6px; cursor: pointer; }
.optional { color: var(--quiet); font-size: 0.8125rem; font-weight: 400; margin-left: 0.4rem; }
.drop-hint { color: var(--quiet); font-size: 0.875rem; }
.actions { display: flex; flex-wrap: wrap; gap: 0.75rem; margin: 1rem 0; }
button { font: inherit; font-weight: 600; padding: 0.6rem 1.5rem; cursor: pointer; color: var(--on-accent); background: var(--accent); border: 1px solid var(--accent); border-radius: 8px; }
button.plain { color: var(--accent); background: var(--ground); border-color: var(--line); padding-inline: 1rem; }
button:disabled { opacity: 0.55; cursor: default; }
#working { margin: 1rem 0; }
#working label { display: block; color: var(--quiet); font-size: 0.9375rem; margin-bottom: 0.35rem; }
progress { width: 100%; height: 0.6rem; accent-color: var(--accent); }
.problem { padding: 0.75rem 1rem; border: 1px solid var(--bad); border-radius: 8px; color: var(--bad); }
#result { margin-top: 2rem; }
.verdict { display: grid; grid-template-columns: auto 1fr; gap: 0 1.25rem; padding: 1.5rem; border: 1px solid var(--tone); border-left-width: 8px; border-radius: 12px; background: color-mix(in srgb, var(--tone) 7%, var(--ground)); }
.verdict svg { width: 3rem; height: 3rem; color: var(--tone); grid-row: span 4; }
.outcome { font: 700 0.875rem ui-monospace, Menlo, Consolas, monospace; letter-spacing: 0.06em; color: var(--tone); margin: 0; }
.verdict p { margin: 0.6rem 0 0; }
.verdict .outcome { margin: 0 0 0.25rem; }
.VALID, .PASS { --tone: var(--good); }
.INVALID, .FAIL { --tone: var(--bad); }
.verdict.INDETERMINATE, .check.INDETERMINATE { --tone: var(--open); }
.verdict.ERROR, .check.ERROR { --tone: var(--broken); }
.NOT_RUN { --tone: var(--quiet); }
.NOT_RUN .about { color: var(--quiet); }
.hints { margin: 0.75rem 0 0; padding-left: 1.25rem; }
.hints li { margin-bottom: 0.35rem; max-width: 68ch; }
.facts { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 0.35rem 1.25rem; margin: 0; }
.facts dt { color: var(--quiet); }
.facts dd { margin: 0; overflow-wrap: anywhere; }
.list-head { display: flex; flex-wrap: wrap; justify-content: space-between; align-items: end; gap: 0.5rem 1rem; margin: 2rem 0 0.75rem; }
.list-head h3 { margin: 0; }
.list-head button { padding-block: 0.3rem; font-size: 0.9375rem; }
.check { border: 1px solid var(--line); border-radius: 8px; margin-bottom: 0.4rem; }
.check > summary { display: grid; grid-template-columns: 5.5rem minmax(0, 1fr) 0.75rem; gap: 0.25rem 0.75rem; align-items: baseline; padding: 0.55rem 0.9rem; cursor: pointer; list-style: none; }
.check > summary::-webkit-details-marker { display: none; }
.check > summary::after { content: '+'; color: var(--quiet); }
.check[open] > summary::after { content: '–'; }
.check > summary:hover, .check[open] > summary { background: var(--raised); border-radius: 8px; }
.mark { color: var(--tone); font-weight: 600; font-size: 0.9375rem; }
.check .body { padding: 0.75rem 0.9rem 0.9rem; border-top: 1px solid var(--line); font-size: 0.9375rem; }
.check .body p { color: var(--quiet); }
@media (max-width: 40rem) {
  main { padding: 1.5rem 1rem 0; }
  .banner { padding-inline: 1rem; }
  .verdict { grid-template-columns: minmax(0, 1fr); padding: 1.1rem; }
  .verdict svg { grid-row: auto; width: 2.25rem; height: 2.25rem; margin-bottom: 0.35rem; }
  .facts { grid-template-columns: minmax(0, 1fr); gap: 0; }
  .facts dd { margin-bottom: 0.5rem; }
  .check > summary { grid-template-columns: minmax(0, 1fr) 0.75rem; }
  .check > summary::after { grid-row: 1; grid-column: 2; }
  .check > summary .about { grid-column: 1; }
  .actions button { flex: 1 1 9rem; }
}
@media print {
  .intake, .skip, .actions, .list-head button, .check > summary::after { display: none; }
  main { max-width: none; padding: 0; }
  #result { margin: 1rem 0 0; }
  .banner { padding: 0 0 0.5rem; }
  .check .body { padding-block: 0.4rem; }
  .check .body p { margin: 0; }
  .verdict, .check { break-inside: avoid; }
  h3, .list-head { break-after: avoid; }
}
`;
