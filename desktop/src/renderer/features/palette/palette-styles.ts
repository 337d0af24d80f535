// Styles of the command palette.
import { addStyles } from '../../styles.ts';

addStyles(`
dialog.palette { width: min(36rem, calc(100vw - 2rem)); margin-top: 12vh; padding: 0; overflow: hidden; }
dialog.palette:modal { display: flex; flex-direction: column; max-height: 70vh; }
dialog.palette input { flex: none; min-height: 3.1rem; padding: 0 1.1rem; font-size: 1rem; border: 0; border-bottom: 1px solid var(--line); border-radius: 0; }
dialog.palette input:focus-visible { outline: none; box-shadow: inset 0 -2px 0 var(--accent); }
.options { overflow-y: auto; padding: 0.4rem; }
.options > p { padding: 0.6rem 0.75rem; }
.options [role=option] { display: flex; align-items: center; gap: 0.7rem; min-height: 2.4rem; padding: 0 0.75rem; font-size: 0.9375rem; border-radius: var(--corner); cursor: pointer; }
.options [role=option] svg.icon { color: var(--quiet); }
.options [role=option] .small { margin-left: auto; flex: none; }
.options [role=option]:hover { background: var(--raised); }
.options [aria-selected=true] { background: color-mix(in srgb, var(--accent) 12%, var(--surface)); }
.keys { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 0.6rem 1.25rem; align-items: baseline; font-size: 0.9375rem; }
.keys > div { display: contents; }
.keys dt { display: flex; gap: 0.25rem; }
kbd { font: 0.8125rem var(--code-letters); padding: 0.1rem 0.45rem; background: var(--raised); border: 1px solid var(--line); border-bottom-width: 2px; border-radius: 0.35rem; white-space: nowrap; }
`);
