// The style sheet of the page: shared styles and its own, including print.
import { pageStyles } from '@recordproof/shared/theme/page-styles.ts';

export const styles = `${pageStyles}
body { --column: 60rem; }
body.dragging::after { content: attr(data-drop); position: fixed; inset: 0.75rem; z-index: 5; display: grid; place-items: center; font-size: 1.5rem; font-weight: 600; color: var(--accent); border: 3px dashed var(--accent); border-radius: var(--corner-wide); background: color-mix(in srgb, var(--ground) 88%, transparent); pointer-events: none; }
#result:focus, h2:focus { outline: none; }
.lead { margin-bottom: var(--space); }
.mode { padding-left: 0.9rem; border-left: 3px solid var(--good); }
[data-through=service] .mode, [data-through=origin] .mode { border-color: var(--open); }
.slots { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fit, minmax(min(15.5rem, 100%), 1fr)); margin: 1.5rem 0 0.75rem; }
.slot { display: flex; flex-direction: column; padding: 1.25rem; border: 1.5px dashed color-mix(in srgb, var(--quiet) 45%, transparent); border-radius: var(--corner-wide); background: var(--surface); min-width: 0; }
.slot.filled { border-style: solid; border-color: var(--accent); }
.slot label { font-weight: 600; }
.slot p { color: var(--quiet); font-size: 0.9375rem; margin: 0 0 0.75rem; flex: 1; }
.slot input { font: inherit; font-size: 0.9375rem; width: 100%; min-width: 0; color: var(--quiet); }
.filled input { color: inherit; }
.slot .optional { margin-left: 0.4rem; }
.drop-hint { color: var(--quiet); font-size: 0.875rem; }
.actions { display: flex; flex-wrap: wrap; gap: 0.75rem; margin: 1rem 0; }
#working { margin: 1rem 0; }
#working label { display: block; color: var(--quiet); font-size: 0.9375rem; margin-bottom: 0.35rem; }
progress { width: 100%; }
.problem { padding: 0.75rem 1rem; border: 1px solid var(--bad); border-radius: var(--corner); font-weight: 400; }
#result { margin-top: var(--space-wide); scroll-margin-top: var(--space); }
.verdict { display: grid; grid-template-columns: auto 1fr; gap: 0 1.25rem; padding: 1.5rem; border: 1px solid var(--tone); border-left-width: 8px; border-radius: var(--corner-wide); background: color-mix(in srgb, var(--tone) 7%, var(--surface)); }
.verdict h2 { font-size: 1.5rem; margin: 0; }
.verdict svg { width: 3rem; height: 3rem; color: var(--tone); grid-row: span 4; }
.outcome { font: 700 0.875rem var(--code-letters); letter-spacing: 0.06em; color: var(--tone); margin: 0; }
.verdict p { margin: 0.6rem 0 0; }
.verdict .outcome { margin: 0 0 0.25rem; }
.VALID, .PASS { --tone: var(--good); }
.INVALID, .FAIL { --tone: var(--bad); }
.verdict.INDETERMINATE, .check.INDETERMINATE { --tone: var(--open); }
.verdict.ERROR, .check.ERROR { --tone: var(--broken); }
.NOT_RUN { --tone: var(--quiet); }
.NOT_RUN .about { color: var(--quiet); }
.verdict.plain { display: block; }
.check.said { display: grid; grid-template-columns: 7rem minmax(0, 1fr); gap: 0.25rem 0.75rem; padding: 0.55rem 0.9rem; }
.lines > * { display: block; overflow-wrap: anywhere; }
.lines strong { font-weight: 400; }
.lines span { color: var(--quiet); font-size: 0.9375rem; }
.hints { margin: 0.75rem 0 0; padding-left: 1.25rem; }
.hints li { margin-bottom: 0.35rem; max-width: 68ch; }
.facts { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 0.35rem 1.25rem; margin: 0; }
.existence-facts { margin-top: 1rem; }
.facts dt { color: var(--quiet); }
.facts dd { margin: 0; overflow-wrap: anywhere; }
.list-head { display: flex; flex-wrap: wrap; justify-content: space-between; align-items: end; gap: 0.5rem 1rem; margin: 2rem 0 0.75rem; }
.list-head h3 { margin: 0; }
.list-head button, #result .actions button { padding: 0.35rem 1rem; font-size: 0.9375rem; }
.check { background: var(--surface); border: 1px solid var(--line); border-radius: var(--corner); margin-bottom: 0.4rem; }
.check > summary { display: grid; grid-template-columns: 5.5rem minmax(0, 1fr) 0.75rem; gap: 0.25rem 0.75rem; align-items: baseline; padding: 0.55rem 0.9rem; cursor: pointer; list-style: none; }
.check > summary::-webkit-details-marker { display: none; }
.check > summary::after { content: '+'; color: var(--quiet); }
.check[open] > summary::after { content: '–'; }
.check > summary:hover { background: var(--raised); border-radius: var(--corner); }
.mark { color: var(--tone); font-weight: 600; font-size: 0.9375rem; }
.check .body { padding: 0.75rem 0.9rem 0.9rem; border-top: 1px solid var(--line); font-size: 0.9375rem; }
.check .body p { color: var(--quiet); }
@media (max-width: 40rem) {
  .verdict { grid-template-columns: minmax(0, 1fr); padding: 1.1rem; }
  .verdict svg { grid-row: auto; width: 2.25rem; height: 2.25rem; margin-bottom: 0.35rem; }
  .facts { grid-template-columns: minmax(0, 1fr); gap: 0; }
  .facts dd { margin-bottom: 0.5rem; }
  .check > summary { grid-template-columns: minmax(0, 1fr) 0.75rem; }
  .check > summary::after { grid-row: 1; grid-column: 2; }
  .check > summary .about { grid-column: 1; }
  .check.said { grid-template-columns: minmax(0, 1fr); }
  .actions button { flex: 1 1 9rem; }
}
@media print {
  .intake, .actions, .list-head button, .check > summary::after { display: none; }
  #result { margin: 1rem 0 0; }
  .banner { padding: 0 0 0.5rem; }
  .check .body { padding-block: 0.4rem; }
  .check .body p { margin: 0; }
  .verdict, .check { break-inside: avoid; }
  h3, .list-head { break-after: avoid; }
}
`;
