// The audit report as text: one page with the verdict last, as in a verification report.
import { type Language, words } from '@recordproof/shared/words/words.ts';
import { oneLine } from '../shell/terminal.ts';
import type { AuditReport } from './audit-report.ts';
import { describeAudit } from './audit-words.ts';

const auditTexts = words(
  {
    title: 'RecordProof ledger audit',
    rows: {
      source: 'Source',
      at: 'Audited',
      ledger: 'Ledger',
      key: 'Key',
      compared: 'Continues',
      read: 'Read',
      times: 'Times stated',
      quorum: 'Witnesses',
      stamp: 'Time stamp',
      proof: 'Proof',
      answers: 'Answers',
      evidence: 'Evidence',
      kept: 'Kept',
    },
    keyFrom: {
      OPTION: 'named by you',
      POLICY: 'named by your policy',
      KEPT: 'named by the checkpoints that were kept',
      SERVER: 'named by the ledger itself',
    },
    entries: (count: number) => `${count} entries`,
    compared: (sizes: string) => `the checkpoints that were kept, of ${sizes} entries`,
    comparedNone: 'compared with no earlier checkpoint',
    quorumReached: (name: string, time: string) => `the quorum ${name} is reached, ${time}`,
    quorumMissing: (name: string) => `the quorum ${name} is not reached`,
    noPolicy: 'no policy was given: only the statements of the operator were checked',
    status: (word: string, position: number) => `${word}, by entry ${position}, the last one about it`,
    answers: (count: number) => `${count} answers of the server were compared with the entries`,
    found: 'Found:',
    nothing: 'Nothing was found.',
    further: (count: number) => `and ${count} more of the same`,
    outcomes: {
      SOUND: 'Result: SOUND. The ledger is consistent with all that it was compared with.',
      CONTRADICTED: 'Result: CONTRADICTED. The operator, or an intermediary on the network, shows what cannot be true.',
      INCOMPLETE: 'Result: INCOMPLETE. Nothing contradicts, but not everything could be checked.',
    },
    limits:
      'Dates in entries are the word of the operator. Witnesses and time stamps say when an entry was there at the latest.',
  },
  {
    title: 'RecordProof 账本审计',
    rows: {
      source: '来源',
      at: '审计时间',
      ledger: '账本',
      key: '密钥',
      compared: '延续',
      read: '已读取',
      times: '所述时间',
      quorum: '见证人',
      stamp: '时间戳',
      proof: '证明',
      answers: '回答',
      evidence: '证据',
      kept: '已留存',
    },
    keyFrom: {
      OPTION: '由您指定',
      POLICY: '由您的策略指定',
      KEPT: '由留存的检查点指定',
      SERVER: '由账本自称',
    },
    entries: count => `${count} 个条目`,
    compared: sizes => `先前留存的检查点，条目数为 ${sizes}`,
    comparedNone: '没有可比较的更早检查点',
    quorumReached: (name, time) => `已达到法定数 ${name}，${time}`,
    quorumMissing: name => `未达到法定数 ${name}`,
    noPolicy: '未提供策略：除运营方外没有其他人作证',
    status: (word, position) => `${word}，见条目 ${position}，即涉及它的最后一条`,
    answers: count => `已将服务器的 ${count} 个回答与条目比较`,
    found: '发现：',
    nothing: '没有发现问题。',
    further: count => `另有 ${count} 项同类问题`,
    outcomes: {
      SOUND: '结果：SOUND。账本与所有比较对象一致。',
      CONTRADICTED: '结果：CONTRADICTED。运营方或中间人出示了不可能为真的内容。',
      INCOMPLETE: '结果：INCOMPLETE。没有矛盾，但并非所有内容都能检查。',
    },
    limits: '条目中的日期只是运营方的陈述；见证人和时间戳才能说明条目最晚何时已经存在。',
  },
);

const marks = { CONTRADICTED: '!', OPEN: '?' } as const;

export function toAuditText(report: AuditReport, language: Language): string {
  const texts = auditTexts[language];
  const rows = listRows(report, language).map(([name, text]) => `${pad(`${texts.rows[name]}:`)} ${text}`);
  const found = report.findings.map(
    finding => `  ${marks[finding.standing]} ${describeAudit(finding, language)} [${finding.code}]`,
  );
  const further = report.furtherFindings > 0 ? [`    ${texts.further(report.furtherFindings)}`] : [];
  const list = found.length === 0 ? [texts.nothing] : [texts.found, ...found, ...further];
  const lines = [texts.title, '', ...rows, '', ...list, '', texts.limits, texts.outcomes[report.outcome]];
  return `${lines.map(oneLine).join('\n')}\n`;
}

type RowName = keyof (typeof auditTexts)['en']['rows'];

function listRows(report: AuditReport, language: Language): [RowName, string][] {
  const texts = auditTexts[language];
  const { ledger, comparedSizes, firstRecordedAt, lastRecordedAt, evidenceFile, keptFile } = report;
  const kinds = Object.entries(report.entriesByKind).map(([kind, count]) => `${count} ${kind}`);
  const rows: [RowName, string | undefined][] = [
    ['source', report.source],
    ['at', report.auditedAt],
    ['ledger', ledger && `${ledger.name}, ${texts.entries(ledger.size)}, ${ledger.root}`],
    ['key', ledger && `${ledger.key} (${texts.keyFrom[ledger.keyFrom]})`],
    ['compared', comparedSizes.length === 0 ? texts.comparedNone : texts.compared(comparedSizes.join(', '))],
    ['read', [texts.entries(report.entriesRead), ...kinds].join(', ')],
    ['times', firstRecordedAt && `${firstRecordedAt} – ${lastRecordedAt}`],
    ['quorum', toQuorumText(report, language)],
    ...report.stamps.map(({ authority, size, time }): [RowName, string] => [
      'stamp',
      `${authority}, ${texts.entries(size)}, ${time}`,
    ]),
    ...report.proofs.map(({ proofId, status, position }): [RowName, string] => [
      'proof',
      `${proofId}: ${status === undefined ? '–' : texts.status(status, position ?? 0)}`,
    ]),
    ['answers', texts.answers(report.answersCompared)],
    ['evidence', evidenceFile],
    ['kept', keptFile],
  ];
  return rows.filter((row): row is [RowName, string] => row[1] !== undefined);
}

function toQuorumText({ quorum }: AuditReport, language: Language): string {
  const texts = auditTexts[language];
  if (quorum === undefined) return texts.noPolicy;
  return quorum.isReached ? texts.quorumReached(quorum.name, quorum.time ?? '–') : texts.quorumMissing(quorum.name);
}

/** Chinese characters are two columns wide. */
function pad(label: string): string {
  const width = [...label].reduce((sum, letter) => sum + (letter > '\u2e80' ? 2 : 1), 0);
  return label + ' '.repeat(Math.max(0, 13 - width));
}
