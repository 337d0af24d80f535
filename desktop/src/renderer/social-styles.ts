// Styles of the social screens: two panes, lines with an avatar, messages, a QR code.
export const socialStyles = `
textarea { font: inherit; font-size: 0.9375rem; width: 100%; min-width: 0; padding: 0.45rem 0.7rem; color: inherit; background: var(--surface); border: 1px solid var(--edge-strong); border-radius: var(--corner); resize: vertical; }
textarea::placeholder { color: var(--quiet); opacity: 1; }
summary { cursor: pointer; font-size: 0.9375rem; font-weight: 500; color: var(--accent); width: fit-content; }
details[open] summary { margin-bottom: 0.5rem; }
.pair { display: grid; grid-template-columns: 1fr 1fr; gap: 1rem; align-items: end; }
.about { display: flex; flex-wrap: wrap; align-items: center; gap: 0.1rem 0.9rem; color: var(--quiet); font-size: var(--text-small); }
.about strong { color: var(--text); font-weight: 600; }
.filled { display: flex; flex-direction: column; }
.face { display: grid; place-items: center; width: 2rem; height: 2rem; flex: none; border-radius: 50%; font-size: 0.875rem; font-weight: 600; color: var(--accent); background: color-mix(in srgb, var(--accent) 12%, transparent); }
.dot { width: 0.55rem; height: 0.55rem; border-radius: 50%; background: var(--accent); flex: none; }
.count { font-size: 0.75rem; font-weight: 600; line-height: 1.35; color: var(--on-accent); background: var(--accent); border-radius: 1rem; padding: 0 0.45rem; }
.tabs .count { margin-left: 0.4rem; }
.text { white-space: pre-wrap; overflow-wrap: anywhere; max-width: 44rem; }
.tabs + .panes .pane-list { padding-top: 0.75rem; }
.prose { display: grid; grid-template-columns: minmax(0, 1fr); gap: 0.75rem; max-width: 44rem; margin-top: 0.9rem; overflow-wrap: anywhere; }
.prose h3 { margin-top: 0.4rem; font-size: 1rem; font-weight: 650; color: var(--text); }
.prose p { white-space: pre-wrap; }
.prose :is(ul, ol) { padding-left: 1.4rem; list-style: disc; }
.prose ol { list-style: decimal; }
.prose pre { margin: 0; padding: 0.6rem 0.8rem; font: 0.8125rem/1.5 var(--code-letters); background: var(--raised); border-radius: var(--corner); white-space: pre-wrap; }
.panes { flex: 1; display: grid; grid-template-columns: minmax(17rem, 24rem) minmax(0, 1fr); min-height: 0; }
.pane-list { display: flex; flex-direction: column; min-width: 0; min-height: 0; border-right: 1px solid var(--line); }
.pane-list .scroll { padding-inline: 0.75rem; }
.pane { display: flex; flex-direction: column; min-width: 0; min-height: 0; background: var(--surface); }
.pane .scroll { padding-top: 1rem; }
.about + .text { margin-top: 0.6rem; }
.pane > .note { margin: 0 1.5rem 1.5rem; }
.pane-head { display: flex; flex-wrap: wrap; align-items: center; gap: 0.5rem 0.75rem; min-height: 3.75rem; padding: 0.6rem 1.5rem; border-bottom: 1px solid var(--line); }
.pane-head h2 { flex: 1 1 14rem; min-width: 0; overflow-wrap: anywhere; font-size: 1.0625rem; }
.pane-head .back { display: none; color: var(--text); }
.entries { display: grid; grid-template-columns: minmax(0, 1fr); gap: 1px; }
.entries a { display: grid; grid-template-columns: 2rem minmax(0, 1fr) auto; gap: 0 0.75rem; align-items: center; padding: 0.55rem 0.75rem; color: var(--text); text-decoration: none; border-radius: var(--corner); font-size: 0.9375rem; }
.entries a.faceless { grid-template-columns: minmax(0, 1fr) auto; }
.entries a:hover { background: var(--raised); }
.entries a[aria-current] { background: color-mix(in srgb, var(--accent) 10%, transparent); }
.entries .about:last-child { grid-column: 1 / -1; }
.entries .face { grid-row: span 2; }
.entries time { text-align: right; white-space: nowrap; font-size: 0.8125rem; }
.entries bdi.quiet { font-size: var(--text-small); }
.panes:not(:has(.entries)) .hint { visibility: hidden; }
.entries :is(.dot, .count) { justify-self: end; }
.name strong { font-weight: 500; }
.entries .name bdi:not(:first-child) { display: none; }
.lines { background: var(--surface); border: 1px solid var(--line); border-radius: var(--corner-wide); }
.lines > li { display: flex; flex-wrap: wrap; align-items: center; gap: 0.4rem 0.9rem; min-height: 3.25rem; padding: 0.5rem 0.75rem 0.5rem 1.1rem; font-size: 0.9375rem; }
.lines > li + li { border-top: 1px solid color-mix(in srgb, var(--line) 60%, transparent); }
.lines > li > :is(.name, bdi.cut) { flex: 1 1 10rem; }
.lines .said { flex-basis: 100%; padding-left: 2.9rem; overflow-wrap: anywhere; }
.lines > li > [role=alert] { flex-basis: 100%; }
.lines > li > .pair { display: flex; gap: 0.5rem; margin-left: auto; }
.lines > li > .arrival:has(.problem) { order: 1; flex-basis: 100%; }
.pane .lines { border-radius: 0; border-width: 1px 0 0; background: none; }
.pane .lines > li { padding-inline: 0; }
.talk { display: flex; flex-direction: column; }
.talk > button { align-self: center; flex: none; margin-bottom: 1rem; }
.talk:focus-visible { outline-offset: -2px; }
.talk ol { display: grid; grid-template-columns: minmax(0, 1fr); gap: 0.6rem; margin-top: auto; }
.talk li { display: grid; gap: 0.15rem; justify-items: start; max-width: min(36rem, 85%); }
.talk li.mine { justify-items: end; justify-self: end; }
.talk .said { padding: 0.45rem 0.8rem; border-radius: var(--corner-wide); background: var(--raised); white-space: pre-wrap; overflow-wrap: anywhere; }
.talk li.mine .said { background: color-mix(in srgb, var(--accent) 14%, var(--surface)); }
.talk .said:has(img) { padding: 0.3rem; }
.talk .preview { padding: 0; background: none; }
.talk time { font-size: 0.75rem; padding: 0 0.3rem; }
.composer { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: 0.6rem; align-items: end; padding: 0.9rem 1.5rem; border-top: 1px solid var(--line); }
.composer textarea { resize: none; }
.composer [role=alert] { grid-column: 1 / -1; }
.composer [role=alert]:empty { display: none; }
.replies { display: grid; grid-template-columns: minmax(0, 1fr); margin: 1rem 0; }
.replies > li { padding: 0.9rem 0; border-top: 1px solid var(--line); display: grid; gap: 0.3rem; }
.attachments { display: flex; flex-wrap: wrap; gap: 0.4rem; margin-top: 0.6rem; }
.attachments li { display: flex; gap: 0.6rem; max-width: 100%; padding: 0.2rem 0.7rem; font-size: var(--text-small); background: var(--raised); border-radius: var(--corner); }
.picker { display: grid; grid-template-columns: minmax(0, 1fr); gap: 0.5rem; min-width: 0; margin: 0; padding: 0; border: 0; }
.picker legend { padding: 0.4rem 0 0; margin-bottom: 0.3rem; font-weight: 600; font-size: 0.9375rem; }
.picked { display: grid; gap: 0.4rem; max-height: 15rem; overflow-y: auto; }
.picker ul { border: 1px solid var(--line); border-radius: var(--corner); }
.picker li + li { border-top: 1px solid color-mix(in srgb, var(--line) 60%, transparent); }
.picker .check { padding: 0.45rem 0.7rem; cursor: pointer; }
.picker .check .file-name { flex: 1; }
.qr-frame { display: grid; justify-items: center; gap: 0.5rem; }
.side button.parts { display: none; }
@media (max-width: 60rem) {
  .panes { grid-template-columns: minmax(0, 1fr); }
  .panes:not(.chosen-one) .pane, .panes.chosen-one .pane-list { display: none; }
  .pane-list { border: 0; }
  .pane-head .back { display: inline-flex; padding: 0.4rem; margin-left: -0.6rem; }
}
@media (max-width: 46rem) {
  .pane-list .scroll { padding-inline: 0.25rem; }
  .pane-head, .composer { padding-inline: 1rem; }
  .pane > .note { margin-inline: 1rem; }
  .items > li:has(> .actions) { grid-template-columns: minmax(0, 1fr); padding-right: 1.1rem; }
  .lines > li > .actions { flex-basis: 100%; gap: 0.3rem; }
  .wide-only { display: none; }
  .side { position: relative; }
  .side button.parts { display: flex; position: relative; flex: 1; flex-direction: column; justify-content: center; gap: 0.1rem; min-height: 3.1rem; padding: 0 0.15rem; font-size: 0.75rem; font-weight: 500; line-height: 1.15; color: var(--quiet); background: none; border: 0; }
  .side button.parts.here { color: var(--accent); background: color-mix(in srgb, var(--accent) 10%, transparent); font-weight: 600; }
  .side .others { display: none; }
  .side.open .others { display: grid; position: absolute; right: 0.25rem; bottom: 100%; min-width: 14rem; padding: 0.4rem; background: var(--surface); border: 1px solid var(--line); border-radius: var(--corner-wide); box-shadow: 0 1rem 3rem rgb(0 0 0 / 0.2); z-index: 7; }
  .side .others a { flex-direction: row; justify-content: flex-start; gap: 0.7rem; min-height: 2.75rem; padding: 0 0.75rem; font-size: 0.9375rem; }
  .side .others .count { position: static; }
}
@media (min-width: 46.01rem) { .side .others { display: contents; } }
`;
