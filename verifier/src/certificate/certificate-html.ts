// The certificate as one HTML file for screen and print. It runs no script and loads nothing, which its policy
// enforces. All values are escaped.
import { toPolicySource } from '@recordproof/shared/node/web-digests.ts';
import { checkTexts } from '../report/check-texts.ts';
import { listFacts } from '../report/facts.ts';
import { listNextSteps } from '../report/next-steps.ts';
import { explain } from '../report/outcome-texts.ts';
import type { CheckStatus } from '../verify/check-codes.ts';
import type { CheckResult, VerificationReport } from '../verify/report.ts';
import type { Certificate, Input } from './certificate.ts';
import { certificateStyles } from './certificate-styles.ts';

const replacements: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text: string): string => text.replaceAll(/[&<>"]/g, character => replacements[character] ?? '');

const policy = `default-src 'none'; style-src ${toPolicySource(certificateStyles)}; base-uri 'none'; form-action 'none'`;

export function toCertificateHtml(certificate: Certificate): string {
  const { title, statement, note, inputs, asked, about, command, report } = certificate;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="content-security-policy" content="${policy}">
<title>${escaped(`${title}: ${report.outcome}`)}</title>
<style>${certificateStyles}</style>
</head>
<body>
<main>
<header><p class="product">RecordProof verifier ${escaped(report.verifierVersion)}</p>
<h1>${escaped(title)}</h1></header>
${statement === undefined ? '' : `<p class="statement">${escaped(statement)}</p>\n`}${verdict(report)}
${note === undefined ? '' : `<p class="note">${escaped(note)}</p>\n`}
<h2>What was checked</h2>
<table class="inputs"><thead><tr><th scope="col">Input</th><th scope="col">Name, size and SHA-256</th></tr></thead>
<tbody>${inputs.map(inputRow).join('\n')}</tbody></table>
<p><strong>Who was asked.</strong> ${escaped(asked)}</p>
<h2>What was compared</h2>
<dl>${listFacts(report).map(fact).join('\n')}</dl>
<h2>Every check</h2>
<table><thead><tr><th scope="col">Result</th><th scope="col">Question and finding</th></tr></thead>
<tbody>${report.checks.map(checkRow).join('\n')}</tbody></table>
<section class="about">
<h2>About this document</h2>
${about.map(line => `<p>${escaped(line)}</p>`).join('\n')}
<p class="command"><code>${escaped(command)}</code></p>
</section>
</main>
</body>
</html>
`;
}

function verdict(report: VerificationReport): string {
  const { headline, meaning, limits } = explain(report);
  const steps = listNextSteps(report).map(step => `<li>${escaped(step)}</li>`);
  return `<section class="verdict ${report.outcome}" aria-label="Result">
<p class="outcome">${report.outcome}</p>
<p class="headline">${escaped(headline)}</p>
<p><strong>What this means.</strong> ${escaped(meaning)}</p>
<p><strong>What it does not mean.</strong> ${escaped(limits)}</p>
${steps.length === 0 ? '' : `<p><strong>What can be done.</strong></p><ul>${steps.join('')}</ul>`}
</section>`;
}

function inputRow({ role, name, bytes, sha256 }: Input): string {
  const measure = bytes === undefined ? 'not read to its end' : `${bytes} bytes<br><code>${sha256 ?? ''}</code>`;
  return `<tr><th scope="row">${escaped(role)}</th><td><bdi>${escaped(name)}</bdi><br>${measure}</td></tr>`;
}

const fact = ([name, value]: readonly [string, string]): string =>
  `<dt>${escaped(name)}</dt><dd><code>${escaped(value)}</code></dd>`;

const marks: Readonly<Record<CheckStatus, string>> = {
  PASS: '✓ passed',
  FAIL: '✕ failed',
  INDETERMINATE: '? undetermined',
  ERROR: '! error',
};

function checkRow({ id, status, code, message, evidence }: CheckResult): string {
  const isRun = code !== 'NOT_RUN';
  const details = Object.entries({ ...(status === 'PASS' ? {} : { code }), ...evidence });
  const detailLines = details.map(([name, value]) => `${escaped(name)}: ${escaped(String(value))}`).join('<br>');
  return `<tr class="${isRun ? status : 'NOT_RUN'}"><td class="mark">${isRun ? marks[status] : '– not run'}</td>
<td><code class="id">${escaped(id)}</code> ${escaped(checkTexts.en[id])}<br><strong>${escaped(message)}</strong>${
    detailLines === '' ? '' : `<br><code>${detailLines}</code>`
  }</td></tr>`;
}
