// Styles shared by all pages: frame, headings, links, code, buttons, fields. A page adds its own.
import { progressStyles } from './progress-styles.ts';
import { tokens } from './tokens.ts';

export const pageStyles = `${tokens}
* { box-sizing: border-box; }
:root { font: 16px/1.55 var(--letters); }
body { --gutter: 1.5rem; --edge: max(var(--gutter), (100% - var(--column)) / 2); display: flex; flex-direction: column; min-height: 100vh; margin: 0; color: var(--text); background: var(--ground); }
main { flex: 1; width: 100%; max-width: calc(var(--column) + 2 * var(--gutter)); margin: 0 auto; padding: 3rem var(--gutter); }
a { color: var(--accent); text-underline-offset: 0.15em; text-decoration-thickness: 1px; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
code, pre { font-family: var(--code-letters); font-size: 0.875em; overflow-wrap: anywhere; }
pre { margin: 0 0 var(--space); padding: 0.75rem 1rem; white-space: pre-wrap; background: var(--raised); border: 1px solid var(--line); border-radius: var(--corner); }
pre code { font-size: inherit; }
h1 { font-size: 2rem; line-height: 1.2; letter-spacing: -0.015em; margin: 0 0 0.75rem; text-wrap: balance; }
h2 { font-size: 1.25rem; line-height: 1.3; margin: 2.5rem 0 0.75rem; }
h3 { font-size: 1.0625rem; margin: 2rem 0 0.75rem; }
p { margin: 0 0 0.75rem; max-width: 68ch; }
${progressStyles}
[hidden] { display: none !important; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); margin: 0; }
.skip { position: absolute; left: -100vw; }
.skip:focus { left: 1rem; top: 0.5rem; z-index: 6; background: var(--surface); padding: 0.5rem 0.75rem; }
.banner { display: flex; flex-wrap: wrap; align-items: center; gap: var(--space-tight) 1.5rem; padding: 0.75rem var(--edge); background: var(--surface); border-bottom: 1px solid var(--line); }
.brand { display: inline-flex; align-items: center; gap: 0.6rem; font-weight: 600; color: inherit; text-decoration: none; }
.foot { padding: var(--space) var(--edge); color: var(--quiet); font-size: var(--text-small); border-top: 1px solid var(--line); }
.lead { font-size: var(--text-large); color: var(--quiet); margin-bottom: var(--space-wide); text-wrap: pretty; }
.card { padding: 1.5rem; background: var(--surface); border: 1px solid var(--line); border-radius: var(--corner-wide); }
.optional { color: var(--quiet); font-size: 0.8125rem; font-weight: 400; }
button, .button { display: inline-block; font: inherit; font-weight: 600; line-height: 1.4; padding: 0.5rem 1.25rem; color: var(--on-accent); background: var(--accent); border: 1px solid var(--accent); border-radius: var(--corner); text-decoration: none; cursor: pointer; }
button:hover, .button:hover { background: color-mix(in srgb, var(--accent) 88%, var(--text)); }
button.plain, .button.plain { color: var(--accent); background: var(--surface); border-color: var(--line); }
button.plain:hover, .button.plain:hover { background: var(--raised); border-color: var(--accent); }
input::file-selector-button { font: inherit; font-weight: 600; margin-right: 0.75rem; padding: 0.35rem 0.8rem; color: var(--accent); background: var(--surface); border: 1px solid var(--line); border-radius: var(--corner); cursor: pointer; }
input::file-selector-button:hover { background: var(--raised); border-color: var(--accent); }
button:disabled { opacity: 0.55; cursor: default; }
.field { display: grid; gap: 0.3rem; margin-bottom: 1.25rem; }
.field label { font-weight: 600; }
.field small { color: var(--quiet); font-size: var(--text-small); }
.field input, input[type=search] { font: inherit; min-width: 0; padding: 0.5rem 0.75rem; color: inherit; background: var(--surface); border: 1px solid color-mix(in srgb, var(--quiet) 70%, transparent); border-radius: var(--corner); }
.field input[aria-invalid=true] { border-color: var(--bad); }
.problem { color: var(--bad); font-weight: 600; }
@media (max-width: 40rem) {
  body { --gutter: 1rem; }
  main { padding-block: var(--space-wide); }
  h1 { font-size: 1.625rem; }
  .card { padding: 1.25rem 1rem; }
}
@media print {
  .skip { display: none; }
  body { background: none; }
  main { max-width: none; padding: 0; }
}
`;
