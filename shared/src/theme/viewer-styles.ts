// Styles of the viewer, with the tokens of all pages.
export const viewerStyles = `
dialog.viewer[open] { display: grid; grid-template: auto minmax(0, 1fr) auto / minmax(0, 1fr); }
dialog.viewer { position: fixed; inset: 0; width: 100vw; max-width: none; height: 100dvh; max-height: none; margin: 0; padding: 0; border: 0; border-radius: 0; color: var(--text); background: var(--ground); overflow: hidden; }
.viewer header { display: flex; flex-wrap: wrap; align-items: center; gap: 0.25rem 0.9rem; margin: 0; padding: 0.5rem 0.75rem 0.5rem 1.25rem; background: var(--surface); border-bottom: 1px solid var(--line); }
.viewer h2 { margin: 0; min-width: 0; flex: 0 1 auto; font-size: 1rem; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.viewer .quiet { margin: 0; color: var(--quiet); font-size: var(--text-small); }
.viewer .tools { display: flex; gap: 0.25rem; margin-left: auto; }
.viewer button.plain { display: grid; place-items: center; min-width: 44px; min-height: 44px; padding: 0.25rem; }
.viewer .pages button.plain { padding-inline: 0.9rem; }
.viewer button svg { width: 1.25rem; height: 1.25rem; }
.viewer .stage { grid-row: 2; grid-column: 1; display: grid; grid-template: minmax(0, 1fr) / minmax(0, 1fr); place-items: safe center; min-width: 0; overflow: auto; padding: 0.75rem 4rem; }
.viewer .stage > * { margin: 0; }
.viewer .stage > p { max-width: 34rem; text-align: center; }
.viewer .stage > :is(img, canvas, video) { display: block; max-width: 100%; max-height: 100%; min-width: 0; min-height: 0; }
.viewer .stage > canvas { background: #fff; border: 1px solid var(--line); }
.viewer .stage > .zoomed { max-width: none; max-height: none; height: auto; }
.viewer .stage > audio { width: min(36rem, 100%); }
.viewer .stage > pre { align-self: start; width: 100%; min-height: 100%; margin: 0; padding: 1rem; white-space: pre-wrap; overflow-wrap: anywhere; font: 0.875rem/1.5 var(--code-letters); background: var(--surface); border: 1px solid var(--line); border-radius: var(--corner); }
.viewer :is(.previous, .next) { grid-row: 2; grid-column: 1; align-self: center; z-index: 1; background: var(--surface); border: 1px solid var(--line); border-radius: var(--corner); }
.viewer .previous { justify-self: start; margin-left: 0.6rem; }
.viewer .next { justify-self: end; margin-right: 0.6rem; }
.viewer :is(.previous, .next):disabled { visibility: hidden; }
.viewer footer { margin: 0; padding: 0.25rem 1.25rem; text-align: center; }
.viewer footer:not(:has(> :not([hidden], :empty))) { display: none; }
.viewer .pages { display: flex; align-items: center; justify-content: center; gap: 0.75rem; margin: 0; }
.viewer .pages[hidden] { display: none; }
.viewer .unseen { position: absolute; width: 1px; height: 1px; margin: 0; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
@media (max-width: 46rem) {
  .viewer .stage { padding: 0.5rem 0.5rem 4rem; }
  .viewer :is(.previous, .next) { align-self: end; margin-bottom: 0.6rem; }
  .viewer h2 { flex-basis: 100%; }
}
`;
