// The existence report as one HTML file for print: no script, nothing loaded. Called a certificate only if the time is
// proven. File names are untrusted; every value is escaped.
import { digestOf } from '@recordproof/shared/evidence/digest.ts';
import { toPolicySource } from '@recordproof/shared/node/web-digests.ts';
import { type Html, html, raw } from '@recordproof/shared/theme/html.ts';
import { type Language, words } from '@recordproof/shared/words/words.ts';
import { certificateStyles } from '../certificate/certificate-styles.ts';
import { nameOf } from '../node/read-inputs.ts';
import { describeExistence, type ExistenceText } from './describe-existence.ts';
import type { ExistenceInput } from './existence-input.ts';
import type { ExistenceOptions } from './existence-options.ts';
import { type ExistenceReport, outcomeClasses, standingClasses } from './existence-report.ts';
import { evidenceLimits, type FoundEvidence } from './read-evidence.ts';

const certificateWords = words(
  {
    certificate: 'Certificate of existence',
    noCertificate: 'Existence report, not a certificate',
    files: 'What was checked',
    input: 'File',
    nameAndHash: 'Name and SHA-256',
    notRead: 'not read',
    result: 'Result',
    finding: 'Finding',
    roles: {
      original: 'Original file',
      archive: 'Proof or evidence archive',
      tlogProof: 'Proof of the ledger entry',
      stamp: 'Time stamp',
      ots: 'OpenTimestamps',
      policy: 'Policy of witnesses',
      roots: 'Roots of authorities',
      headers: 'Block headers',
    },
    about: 'About this document',
    madeBy: (version: string, at: string) =>
      `This is what recordproof-verify ${version} found at ${at} by the clock of the machine that it ran on. No connection was opened.`,
    unsigned:
      'The document is not signed. Anyone could have written one like it, so it is no evidence by itself: keep the files listed above, and check them again. In a folder that holds them, this command does it:',
  },
  {
    certificate: '存在证明书',
    noCertificate: '存在性报告（并非证明书）',
    files: '核验了哪些文件',
    input: '文件',
    nameAndHash: '名称与 SHA-256',
    notRead: '未能读取',
    result: '结果',
    finding: '说明',
    roles: {
      original: '原始文件',
      archive: '证明归档或证据归档',
      tlogProof: '账本条目的证明',
      stamp: '时间戳',
      ots: 'OpenTimestamps',
      policy: '见证人策略',
      roots: '机构的根证书',
      headers: '区块头',
    },
    about: '关于本文件',
    madeBy: (version, at) =>
      `以上是 recordproof-verify ${version} 于 ${at}（以运行它的计算机的时钟为准）得出的结果。未打开任何连接。`,
    unsigned:
      '本文件没有签名，任何人都能写出类似的文件，因此它本身不是证据：请保存上面列出的文件并重新核验。在存有这些文件的文件夹中执行以下命令即可：',
  },
);

type CertifiedFile = {
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
<section class="verdict ${outcomeClasses[report.outcome]}" aria-label="${description.title}">
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
      }) => html`<tr class="${standingClasses[standing]}"><td class="mark">${mark}</td>
<td><strong>${name}</strong>${lines.map(line => html`<br>${line}`)}${standing !== 'HOLDS' && code !== undefined && html`<br><code>${code}</code>`}</td></tr>`,
    )}</tbody></table>`;

export function listCertified(
  { file, trust }: ExistenceOptions,
  { names, ...input }: ExistenceInput & FoundEvidence,
  report: ExistenceReport,
): CertifiedFile[] {
  const original = { role: 'original', name: nameOf(file), sha256: report.contentHash } as const;
  const named = [
    ['archive', nameOf(names.archive)],
    ['tlogProof', nameOf(names.tlogProof)],
    ['stamp', nameOf(names.stamp)],
    ['ots', nameOf(names.ots)],
    ['policy', nameOf(trust.policy ?? '')],
    ['roots', nameOf(trust.roots ?? '')],
    ['headers', nameOf(trust.headers ?? '')],
  ] as const;
  return [
    original,
    ...named.flatMap(([role, name]) => {
      const bytes = input[role];
      // An oversized file was not read to its end.
      const isWhole = bytes instanceof Uint8Array && bytes.length <= evidenceLimits[role];
      return bytes === undefined ? [] : [{ role, name, sha256: isWhole ? digestOf(bytes) : undefined }];
    }),
  ];
}

/** For a folder with the files. */
export function toCommand({ file, proof, trust }: ExistenceOptions, required: string | undefined): string {
  const flags = [
    ['policy', trust.policy],
    ['tsa-roots', trust.roots],
    ['bitcoin-headers', trust.headers],
    ['require', required],
  ] as const;
  const words = flags.flatMap(([name, value]) => (value === undefined ? [] : [`--${name}=${quoted(nameOf(value))}`]));
  const files = [file, ...(proof === undefined ? [] : [proof])].map(path => quoted(nameOf(path)));
  return ['recordproof-verify existence', ...files, ...words].join(' ');
}

/** Quoted for a shell if necessary. */
const quoted = (word: string): string =>
  /^[A-Za-z0-9._/:@,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
