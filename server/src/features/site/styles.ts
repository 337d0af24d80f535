// The style sheet of the server's pages: shared styles, and those of these pages.
import { pageStyles } from '@recordproof/shared/theme/page-styles.ts';
import { statementStyles } from '@recordproof/shared/theme/statement-styles.ts';
import { viewerStyles } from '@recordproof/shared/theme/viewer-styles.ts';

export const styles = `${pageStyles}${statementStyles}${viewerStyles}
.narrow main { max-width: calc(30rem + 2 * var(--gutter)); }
.card > :last-child { margin-bottom: 0; }
.said:empty, .problem:empty { display: none; }
.said { margin-block: var(--space); overflow-wrap: anywhere; }

.steps { list-style: none; margin: 0; counter-reset: step; }
.steps li { position: relative; padding-left: 2.75rem; counter-increment: step; }
.steps li + li { margin-top: 1.5rem; }
.steps li::before { content: counter(step); position: absolute; left: 0; width: 1.75rem; height: 1.75rem; display: grid; place-items: center; color: var(--accent); font-size: var(--text-small); font-weight: 600; border: 1px solid var(--line); border-radius: 50%; }
.steps strong { display: block; margin-bottom: 0.25rem; }
.steps li > :last-child { margin-bottom: 0; }
.ways { list-style: none; padding: 0; margin: 0; display: grid; gap: var(--space); grid-template-columns: repeat(auto-fit, minmax(13rem, 1fr)); }
.ways a { display: block; height: 100%; padding: 1rem 1.25rem; color: inherit; text-decoration: none; }
.ways a:hover { border-color: var(--accent); }
.ways strong { display: block; color: var(--accent); }
.ways span { color: var(--quiet); font-size: 0.9375rem; }

.files { list-style: none; margin: 0 0 var(--space-wide); padding-block: 0; }
p + .files { margin-top: 1rem; }
.files li { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: 0.25rem 1rem; align-items: center; padding: 1rem 0; }
#content > .card.files li:has(> .thumbnail) { grid-template-columns: auto minmax(0, 1fr) auto; }
.files .thumbnail { width: 48px; height: 48px; object-fit: cover; border-radius: 0.35rem; background: var(--raised); }
.files img.thumbnail { outline: 1px solid var(--line); outline-offset: -1px; }
.files svg.thumbnail { padding: 10px; fill: none; stroke: var(--quiet); stroke-width: 1.6; stroke-linecap: round; stroke-linejoin: round; }
.files .presses { display: flex; flex-wrap: wrap; gap: 0.5rem; justify-content: end; }
.files li + li { border-top: 1px solid var(--line); }
@media (max-width: 40rem) {
  .files .presses { grid-column: 1 / -1; justify-content: start; }
  .files .presses :is(.button, button) { min-height: 44px; display: grid; place-items: center; }
}
.files .file { display: flex; flex-wrap: wrap; gap: 0 0.75rem; align-items: baseline; }
.files strong { overflow-wrap: anywhere; }
.files span, .files details { color: var(--quiet); font-size: var(--text-small); }
.files details { grid-column: 1 / -1; }
.files summary { cursor: pointer; width: max-content; }
.files .button, .files button { padding: 0.35rem 1rem; }
.files progress { width: 8rem; }
.files .checked { grid-column: 1 / -1; }
.files .checked:empty { display: none; }
.files .checked span { color: var(--tone); font-size: inherit; }
.keys dt { font-weight: 600; }
.keys dd { margin: 0 0 0.5rem; overflow-wrap: anywhere; }
.check-saved { display: flex; flex-wrap: wrap; gap: 0.5rem var(--space); align-items: center; margin-block: var(--space); }
.check-saved label, .check-saved .said { flex-basis: 100%; margin: 0; }
.files .under-way { display: flex; gap: var(--space); align-items: center; }

.message { white-space: pre-line; overflow-wrap: anywhere; }
h1, .drop .lead { overflow-wrap: anywhere; }
.choice { display: flex; flex-wrap: wrap; gap: 0.75rem; margin-block: var(--space); border-style: dashed; }
.choice.over { border-color: var(--accent); background: var(--raised); }
.choice .button { min-height: 44px; display: grid; place-items: center; }
.choice input:focus-visible { outline: none; }
.choice label:has(+ input:focus-visible) { outline: 2px solid var(--accent); outline-offset: 2px; }
.choice .hint { flex-basis: 100%; margin: 0; color: var(--quiet); font-size: var(--text-small); }
.drop .files li { grid-template-columns: minmax(0, 1fr); }
.drop .files .under-way { flex-wrap: wrap; gap: 0.5rem; }
.drop main button { min-height: 44px; }

html:has(.docs) { scroll-padding-top: 5rem; }
.docs { --column: 77rem; }
.docs .banner { position: sticky; top: 0; z-index: 2; }
.search { display: flex; flex: 1; align-items: center; gap: 0.6rem; min-width: 0; }
.search label { color: var(--quiet); font-size: var(--text-small); }
.search input { flex: 1; min-width: 6rem; max-width: 26rem; font-size: 0.9375rem; padding-block: 0.35rem; }
.search input::placeholder { color: var(--quiet); opacity: 1; }
.search output { color: var(--quiet); font-size: var(--text-small); white-space: nowrap; }
.columns { flex: 1; display: grid; grid-template-columns: 14rem minmax(0, 1fr); gap: var(--space-wide); width: 100%; padding: 0 var(--edge); }
.columns nav { position: sticky; top: 4rem; align-self: start; max-height: calc(100vh - 5rem); overflow-y: auto; padding: 2rem 0; font-size: 0.9375rem; }
nav summary { display: none; }
nav ul { list-style: none; margin: 0; padding: 0; }
nav li { padding: 0.15rem 0; }
nav a { color: inherit; text-decoration: none; }
nav a:hover { color: var(--accent); text-decoration: underline; }
.count { color: var(--quiet); font-size: 0.8125rem; }
.docs main { max-width: none; min-width: 0; padding: var(--space-wide) 0 3rem; }
h4 { font-size: var(--text-small); margin: 1.5rem 0 0.35rem; color: var(--quiet); }
.endpoint { background: var(--surface); border: 1px solid var(--line); border-radius: var(--corner); margin-bottom: var(--space-tight); }
.endpoint > summary { cursor: pointer; list-style: none; padding: 0.6rem 1rem; display: grid; grid-template-columns: 3.75rem minmax(0, 24rem) minmax(0, 1fr) 0.75rem; gap: 0 0.75rem; align-items: baseline; border-radius: var(--corner); }
.endpoint > summary::after { content: '+'; color: var(--quiet); grid-row: 1; grid-column: -2; }
.endpoint[open] > summary::after { content: '–'; }
.endpoint > summary::-webkit-details-marker { display: none; }
.endpoint > summary:hover { background: var(--raised); }
.endpoint[open] > summary { border-radius: var(--corner) var(--corner) 0 0; }
.about { color: var(--quiet); font-size: 0.9375rem; }
.method { font: 700 0.8125rem var(--code-letters); }
.get { color: var(--accent); }
.post { color: var(--good); }
.put { color: var(--open); }
.delete { color: var(--bad); }
.endpoint .body { padding: 1.25rem 1rem 1rem; border-top: 1px solid var(--line); scroll-margin-top: 7.5rem; }
.endpoint h3 { margin: 0 0 var(--space-tight); }
.anchor { color: var(--quiet); padding: 0 0.25rem; }
.facts { display: flex; flex-wrap: wrap; gap: 0.4rem; color: var(--quiet); font-size: 0.8125rem; }
.facts span { border: 1px solid var(--line); border-radius: 1rem; padding: 0.05rem 0.6rem; overflow-wrap: anywhere; }
.try { padding: var(--space); margin-block: var(--space-tight) var(--space); background: var(--raised); border-radius: var(--corner); }
.try textarea { font: 0.875rem var(--code-letters); padding: 0.5rem 0.75rem; color: inherit; background: var(--surface); border: 1px solid color-mix(in srgb, var(--quiet) 70%, transparent); border-radius: var(--corner); }
.try pre { margin-top: var(--space); max-height: 24rem; overflow: auto; background: var(--surface); }
.endpoint .body details > summary { cursor: pointer; color: var(--accent); padding-block: 0.35rem; }
.copy { padding: 0.25rem 0.9rem; margin-bottom: var(--space); }
.common { color: var(--quiet); font-size: var(--text-small); }
table { margin-bottom: 0.75rem; border-collapse: collapse; width: 100%; font-size: var(--text-small); }
th, td { text-align: left; vertical-align: top; padding: 0.4rem 0.75rem 0.4rem 0; border-bottom: 1px solid var(--line); }
thead th { color: var(--quiet); font-weight: 500; }
tbody th { font-weight: 400; overflow-wrap: anywhere; }
td:last-child { min-width: 14rem; overflow-wrap: anywhere; padding-right: 0; }
@media (max-width: 74rem) {
  .endpoint > summary { grid-template-columns: 3.75rem minmax(0, 1fr) 0.75rem; }
  .about { grid-column: 2; }
}
@media (max-width: 48rem) {
  .search { flex-basis: 100%; }
  .search label { display: none; }
  .columns { grid-template-columns: minmax(0, 1fr); gap: 0; align-content: start; }
  .columns nav { position: static; max-height: none; padding: 1rem 0 0; }
  nav summary { display: list-item; list-style: disclosure-closed inside; cursor: pointer; font-weight: 600; padding: 0.4rem 0; }
  nav [open] > summary { list-style-type: disclosure-open; }
  nav li, nav a { padding: 0.35rem 0; display: inline-block; }
  nav ul { display: flex; flex-wrap: wrap; gap: 0 1rem; }
  .docs main { padding-top: var(--space); }
  .endpoint .body { scroll-margin-top: 10rem; }
  table, tbody, tr { display: block; }
  thead { position: absolute; left: -100vw; }
  tr { padding: 0.4rem 0; border-bottom: 1px solid var(--line); }
  tr > * { display: inline-block; border: 0; padding: 0 0.6rem 0 0; }
  tr > :last-child { display: block; min-width: 0; color: var(--quiet); }
  html:has(.docs) { scroll-padding-top: 7rem; }
}
@media (max-width: 30rem) {
  .choice .button { flex-basis: 100%; text-align: center; }
  .steps li { padding-left: 2.25rem; }
  .files .under-way { grid-column: 1 / -1; }
}
@media print { .docs .banner, nav { display: none; } .columns { display: block; } }
`;
