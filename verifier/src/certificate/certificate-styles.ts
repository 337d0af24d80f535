// Styles of the certificate, for print; on a screen it follows the reader's colour scheme.
import { tokens } from '@recordproof/shared/theme/tokens.ts';

export const certificateStyles = `${tokens}
:root { font: 15px/1.5 var(--letters); }
* { box-sizing: border-box; }
body { margin: 0; color: var(--text); background: var(--surface); }
main { max-width: 54rem; margin: 0 auto; padding: 2rem 1.5rem 3rem; }
.product { color: var(--quiet); margin: 0; }
h1 { font-size: 1.8rem; line-height: 1.2; margin: 0 0 1.25rem; }
h2 { font-size: 1.2rem; margin: 2rem 0 0.5rem; break-after: avoid; }
p { margin: 0 0 0.6rem; }
code { font-family: var(--code-letters); font-size: 0.85em; overflow-wrap: anywhere; }
.verdict { border: 1px solid var(--tone); border-left-width: 8px; border-radius: 8px; padding: 1rem 1.25rem; break-inside: avoid; }
.statement { font-size: 1.35rem; line-height: 1.4; }
.note { margin-top: 0.75rem; }
.about { break-inside: avoid; }
.outcome { font-size: 2rem; font-weight: 700; line-height: 1.1; color: var(--tone); margin: 0; }
.headline { font-size: 1.15rem; font-weight: 600; }
.VALID, .PASS { --tone: var(--good); }
.INVALID, .FAIL { --tone: var(--bad); }
.INDETERMINATE { --tone: var(--open); }
.ERROR { --tone: var(--broken); }
.NOT_RUN { --tone: var(--quiet); }
table { width: 100%; border-collapse: collapse; margin-bottom: 0.75rem; }
th, td { text-align: left; vertical-align: top; padding: 0.4rem 0.75rem 0.4rem 0; border-bottom: 1px solid var(--line); }
th { font-weight: 600; white-space: nowrap; }
tr { break-inside: avoid; }
.mark { color: var(--tone); font-weight: 600; white-space: nowrap; }
.id { color: var(--quiet); }
dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 0.2rem 1.25rem; margin: 0; }
dt { color: var(--quiet); }
dd { margin: 0; }
.command { border: 1px solid var(--line); border-radius: 6px; padding: 0.5rem 0.75rem; }
@media (max-width: 36rem) {
  main { padding-inline: 1rem; }
  th, .mark { white-space: normal; }
  th, td { padding-right: 0.5rem; }
  dl { grid-template-columns: minmax(0, 1fr); }
  dd { margin-bottom: 0.4rem; }
}
@media print {
  :root { font-size: 10.5pt; }
  main { max-width: none; padding: 0; }
}
`;
