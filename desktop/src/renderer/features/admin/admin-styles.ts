// Styles of the administration screens: parts side by side, tables, figures, command lines.
export const adminStyles = `
.filters { display: flex; flex-wrap: wrap; align-items: center; gap: 0.6rem 1rem; padding: 1.25rem 1.5rem 0; }
.filters .field { flex: 0 1 10rem; }
.filters .field label { font-size: 0.8125rem; font-weight: 500; color: var(--quiet); }
.filters > button { align-self: end; }
.filters > .check { align-self: end; min-height: 2.25rem; }
.report { display: grid; grid-template-columns: minmax(0, 1fr); gap: 1.75rem; max-width: 60rem; }
.report.wide { max-width: none; gap: 1.25rem; }
.whole { font-size: 1.125rem; color: var(--tone); }
.report > section { display: grid; grid-template-columns: minmax(0, 1fr); gap: 0.6rem; }
.sheet { background: var(--surface); border: 1px solid var(--line); border-radius: var(--corner-wide); }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(8.5rem, 1fr)); overflow: hidden; }
.figures > div { display: flex; flex-direction: column-reverse; justify-content: flex-end; padding: 0.8rem 1.1rem; box-shadow: 1px 1px 0 var(--line); }
.figures dt { color: var(--quiet); font-size: var(--text-small); }
.figures dd { font-size: 1.25rem; overflow-wrap: anywhere; line-height: 1.3; font-weight: 600; letter-spacing: -0.01em; }
.table { width: 100%; border-collapse: separate; border-spacing: 0; font-size: 0.9375rem; background: var(--surface); border: 1px solid var(--line); border-radius: var(--corner-wide); overflow: hidden; table-layout: fixed; }
.table th { height: 2.4rem; padding: 0 0.75rem; text-align: left; color: var(--quiet); font-size: 0.8125rem; font-weight: 600; border-bottom: 1px solid var(--line); }
.table td { height: var(--row); padding: 0 0.75rem; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.table tr + tr td { border-top: 1px solid color-mix(in srgb, var(--line) 60%, transparent); }
.table :is(th, td):first-child { padding-left: 1.1rem; }
.table th:first-child { width: 30%; }
.table tbody tr { position: relative; }
.table tbody tr:hover { background: var(--raised); }
.table tr.opened { background: color-mix(in srgb, var(--accent) 9%, var(--surface)); box-shadow: inset 2px 0 0 var(--accent); }
.table button.open { display: block; width: 100%; min-height: 0; padding: 0.2rem 0; color: var(--text); background: none; border: 0; font-weight: 500; text-align: left; overflow: hidden; text-overflow: ellipsis; }
.table button.open::after { content: ''; position: absolute; inset: 0; }
.table button.open:focus-visible { outline-offset: -2px; }
.pager { display: flex; align-items: center; gap: 0.75rem; color: var(--quiet); font-size: var(--text-small); }
.component { display: grid; grid-template-columns: minmax(7rem, 12rem) 6.5rem minmax(0, 1fr); gap: 0.2rem 1rem; align-items: baseline; padding: 0.65rem 1.1rem; font-size: 0.9375rem; }
.component + .component { border-top: 1px solid color-mix(in srgb, var(--line) 60%, transparent); }
.component strong { font-weight: 500; }
.details { display: flex; flex-wrap: wrap; gap: 0.1rem 1rem; font-size: var(--text-small); overflow-wrap: anywhere; }
.details > div { display: flex; gap: 0.4rem; min-width: 0; }
.details dt { color: var(--quiet); flex: none; }
.run { display: grid; grid-template-columns: minmax(0, 1fr); gap: 0.55rem; padding: 0.9rem 1.1rem; }
.run + .run { border-top: 1px solid var(--line); }
.run header { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0.2rem 0.9rem; }
.run header strong { font-weight: 600; }
.run header .when { margin-left: auto; }
.foot { padding: 0 1.5rem 1.5rem; }
.commands { display: grid; gap: 0.35rem; }
.commands li { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: 0.5rem; align-items: center; padding: 0.2rem 0.2rem 0.2rem 0.75rem; background: var(--raised); border-radius: var(--corner); }
.commands button { min-height: 1.9rem; font-size: 0.8125rem; }
.evidence { margin: 0; padding: 0.6rem 0.8rem; font: 0.8125rem/1.5 var(--code-letters); background: var(--raised); border-radius: var(--corner); white-space: pre-wrap; overflow-wrap: anywhere; }
@media (max-width: 46rem) {
  .filters { padding-inline: 1rem; }
  .figures > div { padding-inline: 0.8rem; }
  .figures dd { font-size: 1.05rem; }
  .table .minor { display: none; }
  .component { grid-template-columns: minmax(0, 1fr) auto; }
  .component .details { grid-column: 1 / -1; }
}
@media (max-width: 90rem) { .with-panel .table .minor { display: none; } }
.actions.in-row { padding-block: 0.4rem; gap: 0.4rem; }
`;
