// Styles of the app: the design tokens of all our pages, and the layout of lists and panels. Denser than a page that is read
// once.
import { progressStyles } from '@recordproof/shared/theme/progress-styles.ts';
import { statementStyles } from '@recordproof/shared/theme/statement-styles.ts';
import { tokens } from '@recordproof/shared/theme/tokens.ts';
import { viewerStyles } from '@recordproof/shared/theme/viewer-styles.ts';
import { socialStyles } from './social-styles.ts';

const base = `${tokens}${statementStyles}
:root { --row: 44px; --side: 14.5rem; --edge-strong: color-mix(in srgb, var(--quiet) 70%, transparent); font: 15px/1.5 var(--letters); }
:root[data-theme=light] { color-scheme: light; }
:root[data-theme=dark] { color-scheme: dark; }
* { box-sizing: border-box; }
html, body, #app { height: 100%; }
body { margin: 0; color: var(--text); background: var(--ground); -webkit-font-smoothing: antialiased; }
h1, h2, h3, p, ul, dl, dd, figure { margin: 0; }
ul, ol { margin: 0; padding: 0; list-style: none; }
h1 { font-size: 1.25rem; line-height: 1.3; letter-spacing: -0.01em; font-weight: 650; }
h2 { font-size: 1rem; font-weight: 650; }
h3 { font-size: var(--text-small); font-weight: 600; color: var(--quiet); }
a { color: var(--accent); text-underline-offset: 0.15em; text-decoration-thickness: 1px; }
code { font-family: var(--code-letters); font-size: 0.8125rem; overflow-wrap: anywhere; }
svg.icon { width: 1.125rem; height: 1.125rem; flex: none; }
[hidden] { display: none !important; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; border-radius: 4px; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.skip { position: absolute; left: -100vw; z-index: 9; padding: 0.5rem 0.75rem; background: var(--surface); }
.skip:focus { left: 0.5rem; top: 0.5rem; }
.quiet { color: var(--quiet); }
.small { font-size: var(--text-small); }
.cut { min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.file-name { display: flex; min-width: 0; white-space: pre; }
.file-name > :last-child:not(:first-child) { flex: none; }
.named { display: grid; grid-template-columns: minmax(0, 1fr); gap: 0.3rem; font-weight: 600; overflow: hidden; }
.number { font-variant-numeric: tabular-nums; }
button, .button { display: inline-flex; align-items: center; justify-content: center; gap: 0.45rem; min-height: 2.25rem; font: inherit; font-size: 0.9375rem; font-weight: 600; padding: 0.3rem 0.9rem; color: var(--on-accent); background: var(--accent); border: 1px solid var(--accent); border-radius: var(--corner); text-decoration: none; white-space: nowrap; cursor: pointer; }
button:hover, .button:hover { background: color-mix(in srgb, var(--accent) 88%, var(--text)); }
button.plain, .button.plain { color: var(--text); background: var(--surface); border-color: var(--line); }
button.plain:hover, .button.plain:hover { background: var(--raised); border-color: var(--edge-strong); }
button.bare { color: var(--quiet); background: none; border-color: transparent; padding: 0.3rem 0.5rem; font-weight: 500; }
button.bare:hover { color: var(--text); background: var(--raised); }
button.danger { color: var(--bad); background: var(--surface); border-color: var(--line); }
button.danger:hover { border-color: var(--bad); background: var(--surface); }
button:disabled { opacity: 0.55; cursor: default; }
input, select { font: inherit; font-size: 0.9375rem; width: 100%; min-width: 0; min-height: 2.25rem; padding: 0.3rem 0.7rem; color: inherit; background: var(--surface); border: 1px solid var(--edge-strong); border-radius: var(--corner); }
input[type=checkbox] { width: 1.05rem; height: 1.05rem; min-height: 0; padding: 0; margin: 0; accent-color: var(--accent); flex: none; }
input[type=file] { padding: 0.25rem; font-size: var(--text-small); color: var(--quiet); }
input::file-selector-button { font: inherit; font-weight: 600; margin-right: 0.6rem; padding: 0.25rem 0.7rem; color: var(--accent); background: var(--surface); border: 1px solid var(--line); border-radius: 0.35rem; }
input::placeholder { color: var(--quiet); opacity: 1; }
input[aria-invalid=true] { border-color: var(--bad); }
${progressStyles}
progress { width: 100%; }
.field { display: grid; gap: 0.3rem; }
.field label:not(.check) { font-weight: 600; font-size: 0.9375rem; }
.field small { color: var(--quiet); font-size: 0.8125rem; }
.check { display: flex; align-items: center; gap: 0.6rem; font-size: 0.9375rem; }
.form { display: grid; grid-template-columns: minmax(0, 1fr); gap: 1rem; }
.actions { display: flex; flex-wrap: wrap; gap: 0.5rem; align-items: center; }
.problem { color: var(--bad); font-size: 0.9375rem; }
:is(.form, .actions, .report) > [role=alert]:empty { display: none; }
.lines-kept { white-space: pre-wrap; }
.note { padding: 0.6rem 0.8rem; font-size: 0.9375rem; background: var(--raised); border-radius: var(--corner); overflow-wrap: anywhere; }
.card { padding: 1.25rem; background: var(--surface); border: 1px solid var(--line); border-radius: var(--corner-wide); }
.chip { display: inline-flex; align-items: center; gap: 0.35rem; font-size: 0.8125rem; font-weight: 600; color: var(--tone, var(--quiet)); white-space: nowrap; }
.chip svg.icon { width: 0.95rem; height: 0.95rem; }
.good { --tone: var(--good); }
.bad { --tone: var(--bad); }
.open { --tone: var(--open); }
.broken { --tone: var(--broken); }
.facts { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 0.4rem 1rem; font-size: 0.9375rem; }
.facts dt { color: var(--quiet); }
.facts dd { overflow-wrap: anywhere; }
`;

const frame = `
.shell { display: grid; grid-template-columns: var(--side) minmax(0, 1fr); height: 100%; }
.side { display: flex; flex-direction: column; gap: 0.25rem; padding: 1rem 0.75rem; background: var(--surface); border-right: 1px solid var(--line); min-height: 0; }
.brand { display: flex; align-items: center; gap: 0.6rem; padding: 0.25rem 0.5rem 1rem; font-weight: 650; }
.brand img { width: 1.6rem; height: 1.6rem; }
.palette-button { justify-content: start; margin-bottom: 0.6rem; padding: 0 0.5rem 0 0.6rem; font-size: var(--text-small); font-weight: 400; color: var(--quiet); }
.palette-button kbd { margin-left: auto; font: 0.75rem var(--letters); }
.side a { display: flex; align-items: center; gap: 0.7rem; min-height: 2.25rem; padding: 0 0.6rem; color: var(--quiet); font-size: 0.9375rem; font-weight: 500; text-decoration: none; border-radius: var(--corner); }
.side a:hover { color: var(--text); background: var(--raised); }
.side a[aria-current] { color: var(--accent); background: color-mix(in srgb, var(--accent) 10%, transparent); font-weight: 600; }
.side .count { margin-left: auto; font-size: 0.75rem; font-weight: 600; color: var(--on-accent); background: var(--accent); border-radius: 1rem; padding: 0 0.45rem; }
.side .who { margin-top: auto; display: grid; gap: 0.15rem; padding: 0.75rem 0.6rem 0; border-top: 1px solid var(--line); font-size: var(--text-small); }
.feed { display: flex; align-items: center; gap: 0.45rem; color: var(--quiet); font-size: 0.8125rem; }
.feed::before { content: ''; width: 0.5rem; height: 0.5rem; border-radius: 50%; background: var(--quiet); flex: none; }
.feed.live::before { background: var(--good); }
.feed.waiting::before { background: var(--open); }
.content { display: flex; flex-direction: column; min-width: 0; min-height: 0; height: 100%; }
.content:focus { outline: none; }
.strip { padding: 0.5rem 1.5rem; font-size: 0.9375rem; color: var(--open); background: color-mix(in srgb, var(--open) 10%, var(--surface)); border-bottom: 1px solid var(--line); }
.head { display: flex; flex-wrap: wrap; align-items: center; gap: 0.6rem 1rem; padding: 1rem 1.5rem; }
.head .actions { margin-left: auto; }
.scroll { flex: 1; min-height: 0; overflow-y: auto; padding: 0 1.5rem 1.5rem; }
.stack { display: grid; gap: 1rem; max-width: 46rem; }
.middle { flex: 1; display: grid; align-content: center; justify-items: center; gap: 0.5rem; padding: 2rem 1.5rem; text-align: center; }
.middle svg.icon { width: 2.5rem; height: 2.5rem; color: var(--quiet); stroke-width: 1.4; margin-bottom: 0.5rem; }
.middle p { max-width: 42ch; color: var(--quiet); text-wrap: balance; }
.middle .actions { margin-top: 0.75rem; justify-content: center; }
.sign-in { min-height: 100%; display: grid; align-content: center; justify-items: center; padding: 2rem 1rem; }
.sign-in .card { width: min(24rem, 100%); padding: 1.75rem; display: grid; grid-template-columns: minmax(0, 1fr); gap: 1.25rem; }
.sign-in .card button { white-space: normal; }
.sign-in .brand { padding: 0 0 1.25rem; font-size: 1.0625rem; }
.sign-in .links { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0.5rem 1rem; font-size: 0.9375rem; }
.sign-in .elsewhere { width: min(24rem, 100%); margin-top: 1rem; font-size: var(--text-small); }
.elsewhere summary { color: var(--quiet); cursor: pointer; overflow-wrap: anywhere; }
.elsewhere[open] summary { margin-bottom: 0.6rem; }
.sign-in p { color: var(--quiet); text-wrap: balance; }
.sign-in .problem { color: var(--bad); }
dialog { width: min(30rem, calc(100vw - 2rem)); max-height: calc(100vh - 2rem); padding: 1.25rem 1.5rem 1.5rem; color: var(--text); background: var(--surface); border: 1px solid var(--line); border-radius: var(--corner-wide); box-shadow: 0 1.5rem 4rem rgb(0 0 0 / 0.25); }
dialog.wide { width: min(84rem, calc(100vw - 2rem)); }
.side-by-side { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(20rem, 100%), 1fr)); gap: 1rem; }
.side-by-side > section { min-width: 0; }
dialog .side-by-side > section { align-content: start; margin: 0; padding: 0; border: 0; }
.side-by-side .preview :is(pre, img) { max-height: 60vh; }
dialog::backdrop { background: rgb(10 14 20 / 0.45); }
dialog .title { display: flex; align-items: center; justify-content: space-between; gap: 1rem; margin-bottom: 0.75rem; }
.dropping { position: fixed; inset: 0.75rem; z-index: 8; display: grid; place-items: center; font-size: 1.375rem; font-weight: 600; color: var(--accent); border: 3px dashed var(--accent); border-radius: var(--corner-wide); background: color-mix(in srgb, var(--ground) 90%, transparent); pointer-events: none; }
@media (max-width: 46rem) {
  .shell { grid-template-columns: minmax(0, 1fr); grid-template-rows: minmax(0, 1fr) auto; }
  .side { order: 2; flex-direction: row; justify-content: space-around; gap: 0; padding: 0.25rem max(0.25rem, env(safe-area-inset-left)) max(0.25rem, env(safe-area-inset-bottom)); border: 0; border-top: 1px solid var(--line); }
  .side :is(.brand, .who, .palette-button) { display: none; }
  .side a { position: relative; flex: 1; flex-direction: column; justify-content: center; gap: 0.1rem; min-height: 3.1rem; padding: 0 0.15rem; font-size: 0.75rem; text-align: center; line-height: 1.15; }
  .side .count { position: absolute; top: 0.1rem; right: calc(50% - 1.5rem); }
  .head { padding: 0.9rem 1rem 0.6rem; }
  .strip { padding-inline: 1rem; }
  .scroll { padding: 0 1rem 1rem; }
}
`;

const lists = `
.work { flex: 1; display: grid; grid-template-columns: minmax(0, 1fr); min-height: 0; }
.work.with-panel { grid-template-columns: minmax(0, 1fr) 23rem; }
.listing { display: flex; flex-direction: column; min-width: 0; min-height: 0; container: listing / inline-size; }
.tabs { display: flex; gap: 0.25rem; padding: 0 0.9rem; border-bottom: 1px solid var(--line); overflow-x: auto; scrollbar-width: none; flex: none; }
.tabs a { flex: none; padding: 0.35rem 0.6rem 0.55rem; color: var(--quiet); font-size: 0.9375rem; font-weight: 500; text-decoration: none; white-space: nowrap; border-bottom: 2px solid transparent; }
.tabs ~ .scroll, .tabs ~ .work .scroll { padding-top: 1.25rem; }
.tabs a:hover { color: var(--text); }
.tabs a[aria-current] { color: var(--text); font-weight: 600; border-color: var(--accent); }
.tabs a:focus-visible { outline-offset: -2px; }
.search { position: relative; flex: 1 1 14rem; max-width: 24rem; }
.search svg.icon { position: absolute; left: 0.65rem; inset-block: 0; margin-block: auto; color: var(--quiet); pointer-events: none; }
.work .search { flex-basis: 8rem; }
.search input { padding-left: 2.1rem; }
.trail { display: flex; flex-wrap: wrap; align-items: center; gap: 0.25rem 0.4rem; padding: 0 1.5rem 0.6rem; font-size: 0.9375rem; }
.trail a { text-decoration: none; font-weight: 500; }
.trail .sum { margin-left: auto; color: var(--quiet); font-size: var(--text-small); }
.target { display: inline-flex; align-items: center; gap: 0.4rem; min-width: 0; border-radius: var(--corner); }
.target.over { outline: 2px solid var(--accent); outline-offset: 1px; }
.folder-actions { display: flex; flex-wrap: wrap; align-items: center; margin-left: 0.5rem; }
.folder-actions button { min-height: 1.9rem; font-size: var(--text-small); }
.filter-row { flex: 1 1 100%; display: flex; flex-wrap: wrap; gap: 0.5rem 0.9rem; align-items: end; margin: 0; padding: 0; border: 0; min-width: 0; }
.filter-row label { display: grid; gap: 0.2rem; flex: 0 1 9rem; min-width: 6.5rem; font-size: var(--text-small); color: var(--quiet); }
.undo { display: flex; flex-wrap: wrap; align-items: center; gap: 0.5rem 1rem; margin: 0 1.5rem 1rem; padding: 0.5rem 0.5rem 0.5rem 1rem; background: var(--raised); border: 1px solid var(--line); border-radius: var(--corner); }
.undo button { margin-left: auto; }
.levels { display: grid; gap: 0.4rem; min-width: 0; }
.levels ul { display: grid; max-height: 16rem; overflow-y: auto; border: 1px solid var(--line); border-radius: var(--corner); padding: 0.3rem; }
.levels button { width: 100%; justify-content: start; }
.folders { display: flex; flex-wrap: wrap; gap: 0.4rem; padding: 0.1rem 1.5rem 0.75rem; max-height: 9rem; overflow-y: auto; flex: none; }
.folders a { display: inline-flex; align-items: center; gap: 0.45rem; max-width: 16rem; min-height: 2rem; padding: 0 0.7rem; color: var(--text); font-size: var(--text-small); text-decoration: none; background: var(--surface); border: 1px solid var(--line); border-radius: var(--corner); }
.folders a:hover { border-color: var(--accent); }
.folders svg.icon { width: 1rem; height: 1rem; color: var(--accent); }
.chosen { display: flex; flex-wrap: wrap; align-items: center; gap: 0.4rem 0.6rem; margin: 0 1.5rem 0.6rem; padding: 0.4rem 0.4rem 0.4rem 0.9rem; font-size: 0.9375rem; background: color-mix(in srgb, var(--accent) 9%, var(--surface)); border: 1px solid color-mix(in srgb, var(--accent) 35%, transparent); border-radius: var(--corner); }
.chosen .actions { margin-left: auto; }
.grid { flex: 1; display: flex; flex-direction: column; min-height: 0; margin: 0 1.5rem 1.5rem; background: var(--surface); border: 1px solid var(--line); border-radius: var(--corner-wide); overflow: hidden; }
.grid:focus-visible { border-radius: var(--corner-wide); }
.grid .viewport { flex: 1; min-height: 0; overflow-y: auto; contain: strict; }
.cells { display: grid; grid-template-columns: 44px minmax(0, 1fr) 6rem 11.5rem 6.5rem; align-items: center; height: var(--row); padding-right: 1rem; }
.cells > * { min-width: 0; }
.cells .pick { display: grid; place-items: center; height: 100%; }
.cells .size { text-align: right; padding-right: 1.5rem; }
.cells .state { display: flex; }
.grid-head { flex: none; height: 2.4rem; color: var(--quiet); font-size: 0.8125rem; font-weight: 600; border-bottom: 1px solid var(--line); scrollbar-gutter: stable; }
.grid-head button { min-height: 1.9rem; padding: 0 0.3rem; margin-left: -0.3rem; font-size: inherit; font-weight: 600; }
.grid-head .size button { margin: 0 -0.3rem 0 0; }
.row { position: absolute; inset: 0 0 auto; font-size: 0.9375rem; border-bottom: 1px solid color-mix(in srgb, var(--line) 60%, transparent); cursor: default; contain: layout paint; }
.row:hover { background: var(--raised); }
.row[aria-selected=true] { background: color-mix(in srgb, var(--accent) 9%, var(--surface)); }
.row.at { box-shadow: inset 2px 0 0 var(--accent); }
.name { display: flex; align-items: center; gap: 0.5rem; min-width: 0; }
.name strong { font-weight: 500; flex: 0 1 auto; }
.name .cut:last-child:not(:first-child) { flex: 0 2 auto; min-width: 3.5rem; font-size: 0.8125rem; color: var(--quiet); }
.file-icon { flex: none; align-self: center; display: grid; place-items: center; width: 28px; height: 28px; color: var(--quiet); }
.file-icon img { width: 28px; height: 28px; object-fit: cover; border-radius: 0.25rem; background: var(--raised); outline: 1px solid var(--line); outline-offset: -1px; }
.bone { height: 0.7rem; width: 40%; border-radius: 0.35rem; background: var(--raised); }
.panel { display: flex; flex-direction: column; min-height: 0; overflow-y: auto; padding: 1rem 1.25rem 1.5rem; background: var(--surface); border-left: 1px solid var(--line); }
.panel > header { display: flex; align-items: start; gap: 0.75rem; margin-bottom: 0.75rem; }
.panel > header h2 { flex: 1; min-width: 0; overflow-wrap: anywhere; font-size: 1.0625rem; }
.panel section { display: grid; gap: 0.6rem; padding-top: 1.1rem; margin-top: 1.1rem; border-top: 1px solid var(--line); }
.panel .facts { font-size: var(--text-small); gap: 0.35rem 0.9rem; }
.panel .versions li { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: 0.15rem 1rem; font-size: var(--text-small); padding: 0.35rem 0; }
.versions li > :is(.facts-line, .actions) { grid-column: 1 / -1; }
.versions .actions { gap: 0.25rem; margin-left: -0.5rem; }
.preview img { display: block; max-width: 100%; max-height: 16rem; margin: auto; border-radius: 0.35rem; }
.preview { padding: 0.5rem; background: var(--raised); border-radius: var(--corner); }
.preview pre { margin: 0; max-height: 16rem; overflow: auto; font: 0.8125rem/1.45 var(--code-letters); white-space: pre-wrap; overflow-wrap: anywhere; }
.preview canvas { display: block; width: 100%; height: auto; border-radius: 0.35rem; background: #fff; }
.items { background: var(--surface); border: 1px solid var(--line); border-radius: var(--corner-wide); }
.items > li { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: 0.3rem 1rem; align-items: center; padding: 0.75rem 0.75rem 0.75rem 1.1rem; }
.items > li + li { border-top: 1px solid var(--line); }
.items .wide { grid-column: 1 / -1; padding-right: 0.35rem; }
.items .about { display: flex; flex-wrap: wrap; gap: 0.1rem 0.9rem; color: var(--quiet); font-size: var(--text-small); }
.area { display: grid; grid-template-columns: minmax(0, 1fr); gap: 0.6rem; margin-bottom: 1.5rem; max-width: 60rem; }
.verdict { display: grid; gap: 0.6rem; padding: 1.25rem; border: 1px solid var(--tone); border-left-width: 6px; border-radius: var(--corner-wide); background: color-mix(in srgb, var(--tone) 7%, var(--surface)); }
.verdict h2 { font-size: 1.125rem; }
.verdict ul { padding-left: 1.1rem; list-style: disc; }
.checks li { display: grid; grid-template-columns: 5.5rem minmax(0, 1fr); gap: 0.75rem; padding: 0.45rem 0; font-size: 0.9375rem; border-top: 1px solid var(--line); }
.segments { display: flex; flex-wrap: wrap; gap: 0.25rem; padding: 0.2rem; width: fit-content; background: var(--raised); border-radius: var(--corner); }
.segments label { position: relative; padding: 0.25rem 0.8rem; font-size: var(--text-small); font-weight: 500; border-radius: 0.35rem; cursor: pointer; }
.segments input { position: absolute; opacity: 0; width: 1px; height: 1px; min-height: 0; }
.segments label:has(:checked) { background: var(--surface); box-shadow: 0 1px 2px rgb(0 0 0 / 0.15); }
.segments label:has(:focus-visible) { outline: 2px solid var(--accent); }
.saved li { display: flex; gap: 0.5rem; align-items: center; padding: 0.5rem 0; }
.saved li > div { flex: 1; min-width: 0; }
.saved li + li { border-top: 1px solid var(--line); }
.qr { width: 13rem; height: 13rem; border-radius: var(--corner); border: 1px solid var(--line); }
.codes { display: grid; grid-template-columns: repeat(auto-fill, minmax(13rem, 1fr)); gap: 0.25rem 1rem; }
code.break { overflow-wrap: anywhere; }
.setting { display: grid; gap: 0.4rem; }
.choices { display: grid; gap: 0.6rem; margin: 0; padding: 0; border: 0; }
.choices legend { padding: 0 0 0.4rem; font-size: var(--text-small); font-weight: 600; color: var(--quiet); }
.choices:disabled .check { opacity: 0.55; }
@media (max-width: 74rem) { .work.with-panel { grid-template-columns: minmax(0, 1fr) 20rem; } }
@container listing (max-width: 50rem) { .cells { grid-template-columns: 44px minmax(0, 1fr) 6rem 6.5rem; } .cells .when { display: none; } }
@container listing (max-width: 34rem) { .cells { grid-template-columns: 44px minmax(0, 1fr) 5rem; padding-right: 0.75rem; } .cells .state { display: none; } .cells .size { padding-right: 0; } }
@media (max-width: 60rem) {
  .work.with-panel { grid-template-columns: minmax(0, 1fr); }
  .work.with-panel .listing { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); visibility: hidden; }
  .work.with-panel .listing h1 { visibility: visible; }
  .panel { border: 0; }
}
@media (max-width: 46rem) {
  .trail, .folders { padding-inline: 1rem; }
  .tabs { padding-inline: 0.4rem; }
  .chosen { margin-inline: 1rem; }
  .grid { margin: 0; border-width: 1px 0 0; border-radius: 0; }
  .row .cells, .row { --row: 44px; }
  .search { max-width: none; flex-basis: 100%; order: 3; }
  .filter-row { order: 4; }
  .undo { margin-inline: 1rem; }
  .side-by-side .preview :is(pre, img) { max-height: 32vh; }
}
@media print {
  :root { color-scheme: light; }
  html, body, #app, .shell, .content, .scroll { display: block; height: auto; overflow: visible; }
  .side, .skip, .strip, .head, .scroll form, .stack > p, .unprinted { display: none; }
  .stack { max-width: none; }
  .card, .verdict { break-inside: avoid-page; background: none; }
}
@media (prefers-reduced-motion: no-preference) {
  :root:not([data-motion=off]) :is(button, .side a, .row) { transition: background-color 120ms, border-color 120ms; }
  :root:not([data-motion=off]) .panel { animation: arrive 140ms ease-out; }
  @keyframes arrive { from { opacity: 0; transform: translateX(0.5rem); } }
}
`;

/** As a constructed style sheet: the policy of the page forbids style elements. */
export function addStyles(text: string): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(text);
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
}

/** Targets of a finger, at the width of a phone. */
const touch = `
@media (max-width: 46rem) {
  button, .button, input:not([type=checkbox], [type=radio]), select, summary { min-height: 44px; }
  button, .button { min-width: 44px; }
  :is(.folder-actions, .levels, .grid-head) button { min-height: 44px; }
  .grid-head { height: 44px; }
  .grid-head button { margin-left: 0; }
  .side :is(a, button) { min-height: 3.1rem; min-width: 44px; }
  :is(.trail, .tabs, .folders, .links, .actions, .who) a { display: inline-flex; align-items: center; min-height: 44px; min-width: 44px; }
  .check, .segments label { display: inline-flex; align-items: center; min-height: 44px; min-width: 44px; }
  summary { padding-block: 0.6rem; }
}
`;

export const putStyles = (): void => addStyles(base + frame + lists + socialStyles + viewerStyles + touch);
