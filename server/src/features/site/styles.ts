// The one style sheet of the pages, for light and dark, wide and narrow.
export const styles = `
:root {
  color-scheme: light dark;
  --text: light-dark(#1c2330, #e4e8ef);
  --quiet: light-dark(#566072, #a3adbd);
  --ground: light-dark(#ffffff, #12161d);
  --raised: light-dark(#f5f7fa, #1a202a);
  --line: light-dark(#dbe0e8, #303947);
  --accent: light-dark(#0b5c8a, #74c0f0);
  --get: light-dark(#0b5c8a, #74c0f0);
  --post: light-dark(#1b6b36, #77cf92);
  --put: light-dark(#8a5300, #f0b860);
  --delete: light-dark(#a3262a, #ff9a94);
  font: 16px/1.55 system-ui, sans-serif;
}
* { box-sizing: border-box; }
html { scroll-padding-top: 5rem; }
body { margin: 0; color: var(--text); background: var(--ground); }
a { color: var(--accent); text-underline-offset: 0.15em; }
a:focus-visible, summary:focus-visible, input:focus-visible, [tabindex]:focus-visible {
  outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 3px;
}
code, pre { font-family: ui-monospace, 'Cascadia Mono', Menlo, Consolas, monospace; font-size: 0.875em; }
h1 { font-size: 1.75rem; line-height: 1.2; margin: 0 0 1rem; }
h2 { font-size: 1.25rem; margin: 2.5rem 0 0.75rem; }
h3 { font-size: 1.05rem; margin: 0 0 0.5rem; }
h4 { font-size: 0.875rem; margin: 1.25rem 0 0.35rem; color: var(--quiet); }
p { margin: 0 0 0.75rem; max-width: 68ch; }
pre { margin: 0 0 0.75rem; padding: 0.75rem 1rem; white-space: pre-wrap; overflow-wrap: anywhere; background: var(--raised); border: 1px solid var(--line); border-radius: 6px; }
.skip { position: absolute; left: -100vw; }
.skip:focus { left: 1rem; top: 0.5rem; z-index: 3; background: var(--ground); padding: 0.5rem 0.75rem; }
.banner { display: flex; flex-wrap: wrap; align-items: center; gap: 0.5rem 1.5rem; padding: 0.6rem 1.5rem; border-bottom: 1px solid var(--line); background: var(--ground); }
.docs .banner { position: sticky; top: 0; z-index: 2; }
.brand { display: inline-flex; align-items: center; gap: 0.5rem; font-weight: 600; color: inherit; text-decoration: none; }
.foot { padding: 1.5rem; color: var(--quiet); font-size: 0.875rem; border-top: 1px solid var(--line); margin-top: 3rem; }

.landing main { max-width: 52rem; margin: 0 auto; padding: 2.5rem 1.5rem 0; }
.lead { font-size: 1.15rem; color: var(--quiet); }
.cards { list-style: none; padding: 0; margin: 2rem 0 0; display: grid; gap: 1rem; grid-template-columns: repeat(auto-fit, minmax(14rem, 1fr)); }
.cards a { display: block; height: 100%; padding: 1rem; border: 1px solid var(--line); border-radius: 8px; background: var(--raised); color: inherit; text-decoration: none; }
.cards a:hover { border-color: var(--accent); }
.cards strong { display: block; color: var(--accent); }
.cards span { color: var(--quiet); font-size: 0.9375rem; }
.steps { padding-left: 1.25rem; }
.steps li { margin-bottom: 1rem; }
.steps pre { margin-top: 0.5rem; }

.search { display: flex; flex: 1; align-items: center; gap: 0.6rem; min-width: 0; }
.search label { color: var(--quiet); font-size: 0.875rem; }
.search input { flex: 1; min-width: 6rem; max-width: 26rem; font: inherit; font-size: 0.9375rem; padding: 0.35rem 0.6rem; color: inherit; background: var(--raised); border: 1px solid var(--line); border-radius: 6px; }
.search input::placeholder { color: var(--quiet); opacity: 1; }
.search output { color: var(--quiet); font-size: 0.875rem; white-space: nowrap; }
.columns { display: grid; grid-template-columns: 14rem minmax(0, 1fr); gap: 2rem; max-width: 80rem; margin: 0 auto; padding: 0 1.5rem; }
.columns nav { position: sticky; top: 4rem; align-self: start; max-height: calc(100vh - 5rem); overflow-y: auto; padding: 1.75rem 0; font-size: 0.9375rem; }
nav summary { display: none; }
nav ul { list-style: none; margin: 0; padding: 0; }
nav li { padding: 0.15rem 0; }
nav a { color: inherit; text-decoration: none; }
nav a:hover { text-decoration: underline; }
.count { color: var(--quiet); font-size: 0.8125rem; }
.docs main { padding-top: 1.75rem; min-width: 0; }
.endpoint { border: 1px solid var(--line); border-radius: 6px; margin-bottom: 0.5rem; }
.endpoint > summary { cursor: pointer; list-style: none; padding: 0.55rem 0.9rem; display: grid; grid-template-columns: 3.75rem minmax(0, 24rem) minmax(0, 1fr) 0.75rem; gap: 0 0.75rem; align-items: baseline; }
.endpoint > summary::after { content: '+'; color: var(--quiet); grid-row: 1; grid-column: -2; }
.endpoint[open] > summary::after { content: '–'; }
.endpoint > summary::-webkit-details-marker { display: none; }
.endpoint > summary:hover, .endpoint[open] > summary { background: var(--raised); border-radius: 6px; }
.endpoint code { overflow-wrap: anywhere; }
.about { color: var(--quiet); font-size: 0.9375rem; }
.method { font: 700 0.8125rem ui-monospace, Menlo, Consolas, monospace; }
.get { color: var(--get); }
.post { color: var(--post); }
.put { color: var(--put); }
.delete { color: var(--delete); }
.endpoint .body { padding: 0.9rem; border-top: 1px solid var(--line); scroll-margin-top: 7.5rem; }
.anchor { color: var(--quiet); padding: 0 0.25rem; }
.facts { display: flex; flex-wrap: wrap; gap: 0.4rem; color: var(--quiet); font-size: 0.8125rem; }
.facts span { border: 1px solid var(--line); border-radius: 1rem; padding: 0.05rem 0.6rem; overflow-wrap: anywhere; }
.common { color: var(--quiet); font-size: 0.875rem; }
table { margin-bottom: 0.75rem; border-collapse: collapse; width: 100%; font-size: 0.875rem; }
th, td { text-align: left; vertical-align: top; padding: 0.35rem 0.75rem 0.35rem 0; border-bottom: 1px solid var(--line); }
thead th { color: var(--quiet); font-weight: 500; }
tbody th { font-weight: 400; overflow-wrap: anywhere; }
td:last-child { min-width: 14rem; overflow-wrap: anywhere; padding-right: 0; }
.field { display: grid; gap: 0.25rem; max-width: 26rem; }
.field label { font-weight: 600; }
.field small { color: var(--quiet); }
.field input, form button { font: inherit; padding: 0.5rem 0.7rem; color: inherit; background: var(--raised); border: 1px solid var(--line); border-radius: 6px; }
form button { cursor: pointer; font-weight: 600; padding-inline: 1.5rem; }
form button:focus-visible { outline: 2px solid currentColor; outline-offset: 2px; }
.problem { color: var(--delete); font-weight: 600; }
.files { list-style: none; padding: 0; margin: 1.5rem 0; border-top: 1px solid var(--line); }
.files li { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: 0.35rem 1rem; align-items: center; padding: 0.9rem 0; border-bottom: 1px solid var(--line); }
.files .file { display: flex; flex-wrap: wrap; gap: 0 0.75rem; align-items: baseline; }
.files strong { overflow-wrap: anywhere; }
.files span, .files details { color: var(--quiet); font-size: 0.9375rem; }
.files details { grid-column: 1 / -1; }
.files summary { cursor: pointer; width: max-content; }
.files code { overflow-wrap: anywhere; }
.files progress { width: 8rem; height: 0.6rem; accent-color: var(--accent); }
.files .under-way { display: flex; gap: 1rem; align-items: center; }
.button, .files button { font: inherit; font-weight: 600; padding: 0.4rem 1.1rem; color: var(--accent); background: var(--raised); border: 1px solid var(--line); border-radius: 6px; text-decoration: none; cursor: pointer; }
.button:hover, .files button:hover { border-color: var(--accent); }
.files button:focus-visible { outline: 2px solid currentColor; outline-offset: 2px; }
.optional { color: var(--quiet); font-size: 0.8125rem; }
[hidden] { display: none !important; }
@media (max-width: 74rem) {
  .endpoint > summary { grid-template-columns: 3.75rem minmax(0, 1fr) 0.75rem; }
  .about { grid-column: 2; }
}
@media (max-width: 48rem) {
  .banner { padding: 0.5rem 1rem; }
  .search { flex-basis: 100%; }
  .search label { display: none; }
  .columns { grid-template-columns: minmax(0, 1fr); gap: 0; padding: 0 1rem; }
  .columns nav { position: static; max-height: none; padding: 1rem 0 0; }
  nav summary { display: list-item; list-style: disclosure-closed inside; cursor: pointer; font-weight: 600; padding: 0.4rem 0; }
  nav [open] > summary { list-style-type: disclosure-open; }
  nav li, nav a { padding: 0.35rem 0; display: inline-block; }
  nav ul { display: flex; flex-wrap: wrap; gap: 0 1rem; }
  .endpoint .body { scroll-margin-top: 10rem; }
  table, tbody, tr { display: block; }
  thead { position: absolute; left: -100vw; }
  tr { padding: 0.4rem 0; border-bottom: 1px solid var(--line); }
  tr > * { display: inline-block; border: 0; padding: 0 0.6rem 0 0; }
  tr > :last-child { display: block; min-width: 0; color: var(--quiet); }
  html { scroll-padding-top: 7rem; }
}
@media (max-width: 30rem) {
  .files li { grid-template-columns: minmax(0, 1fr); justify-items: start; }
}
@media print { .banner, nav, .skip { display: none; } .columns { display: block; } }
`;

export const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#0b5c8a"/><path d="M9 8h10l4 4v12H9z" fill="#fff"/><path d="M12 17.5l3 3 5-6" fill="none" stroke="#0b5c8a" stroke-width="2.4" stroke-linecap="round" stroke-linejoin="round"/></svg>
`;
