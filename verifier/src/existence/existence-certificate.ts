// The existence report as one HTML file for print: no script, nothing loaded. Called a certificate only if the time is
// proven. File names are untrusted; every value is escaped.

import { toPolicySource } from '@recordproof/shared/node/web-digests.ts';
import { type Html, html, raw } from '@recordproof/shared/theme/html.ts';
import type { Language } from '@recordproof/shared/words/words.ts';
import { certificateStyles } from '../certificate/certificate-styles.ts';
import { certificateWords } from './certificate-words.ts';
import { describeExistence, type ExistenceText } from './describe-existence.ts';
import type { ExistenceReport } from './existence-report.ts';

export type CertifiedFile = {
  readonly role: keyof (typeof certificateWords)['en']['roles'];
  readonly name: string;
  /** Absent if it could not be read. */
  readonly sha256?: string | undefined;
};

type ExistenceCertificate = {
  readonly report: ExistenceReport;
  readonly files: readonly CertifiedFile[];
  /** Gives the same answer in the folder of the files. */
  readonly command: string;
  readonly madeAt: string;
};

const tones = { EXISTED: 'VALID', CONTRADICTED: 'INVALID', NOT_SHOWN: 'INDETERMINATE', ERROR: 'ERROR' } as const;
const markClasses = { HOLDS: 'PASS', CONTRADICTED: 'FAIL', MISSING: 'INDETERMINATE', DAMAGED: 'ERROR' } as const;
const policy = `default-src 'none'; style-src ${toPolicySource(certificateStyles)}; base-uri 'none'; form-action 'none'`;

export function toExistenceHtml(certificate: ExistenceCertificate, language: Language): string {
  const { report, files, command, madeAt } = certificate;
  const texts = certificateWords[language];
  const description = describeExistence(report, language);
  const title = report.outcome === 'EXISTED' ? texts.certificate : texts.noCertificate;
  return html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="content-security-policy" content="${raw(policy)}">
<title>${title}: ${report.outcome}</title>
<style>${raw(certificateStyles)}</style>
</head>
<body>
<main>
<header><p class="product">RecordProof verifier ${report.verifierVersion}</p>
<h1>${title}</h1></header>
<section class="verdict ${tones[report.outcome]}" aria-label="${description.title}">
<p class="outcome">${report.outcome}</p>
<p class="headline">${description.headline}</p>
${description.reason && html`<p>${description.reason[0]}: <code>${description.reason[1]}</code></p>`}
<p>${description.limits}</p>
</section>
<h2>${texts.files}</h2>
<table><thead><tr><th scope="col">${texts.input}</th><th scope="col">${texts.nameAndHash}</th></tr></thead>
<tbody>${files.map(({ role, name, sha256 }) => html`<tr><th scope="row">${texts.roles[role]}</th><td><bdi>${name}</bdi><br><code>${sha256 ?? texts.notRead}</code></td></tr>`)}</tbody></table>
<dl>${description.facts.map(([name, value]) => html`<dt>${name}</dt><dd><code>${value}</code></dd>`)}</dl>
${description.sections.map(toSection(texts.result, texts.finding))}
<section class="about">
<h2>${texts.about}</h2>
<p>${texts.madeBy(report.verifierVersion, madeAt)}</p>
<p>${texts.unsigned}</p>
<p class="command"><code>${command}</code></p>
</section>
</main>
</body>
</html>
`.html;
}

const toSection =
  (result: string, finding: string) =>
  ({ title, rows }: ExistenceText['sections'][number]): Html =>
    html`<h2>${title}</h2>
<table><thead><tr><th scope="col">${result}</th><th scope="col">${finding}</th></tr></thead>
<tbody>${rows.map(
      ({
        standing,
        mark,
        title: name,
        lines,
        code,
      }) => html`<tr class="${markClasses[standing]}"><td class="mark">${mark}</td>
<td><strong>${name}</strong>${lines.map(line => html`<br>${line}`)}${standing !== 'HOLDS' && code !== undefined && html`<br><code>${code}</code>`}</td></tr>`,
    )}</tbody></table>`;
