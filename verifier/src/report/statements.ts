// The three statements of a verification, by source: the comparison on this device, the server's current answer, and
// external vouchers. An unchecked statement says so.
import { type Language, words } from '@recordproof/shared/words/words.ts';
import type { ExistenceText } from '../existence/describe-existence.ts';
import type { CheckId } from '../verify/check-codes.ts';
import type { CheckResult, KeySource, Outcome, ReportSummary, VerificationReport } from '../verify/report.ts';
import { checkTexts } from './check-texts.ts';
import { describeFinding } from './finding-texts.ts';
import { explain } from './outcome-texts.ts';

type Standing = 'HOLDS' | 'CONTRADICTED' | 'OPEN' | 'DAMAGED';

type Statement = {
  readonly id: 'HERE' | 'SERVER' | 'OTHERS';
  readonly standing: Standing;
  /** The standing as a word, with a symbol. */
  readonly mark: string;
  readonly title: string;
  readonly lines: readonly string[];
};

/** In one language; `headline` says since when, by whose statement, and that the file is unchanged. */
export type StatementTexts = {
  readonly outcome: Outcome;
  readonly headline: string;
  readonly statements: readonly Statement[];
  readonly limits: string;
};

const statementWords = words(
  {
    unchanged: (time: string, word: string) => `Unchanged since it was recorded at ${time}, ${word}.`,
    byServer: 'on the word of the server that was asked',
    byKey: 'signed with the key that you gave',
    titles: {
      HERE: 'Bytes and signature, checked here',
      SERVER: 'What the server says today',
      OTHERS: 'Others who vouch for the time',
    } satisfies Record<Statement['id'], string>,
    marks: {
      HOLDS: '✓ holds',
      CONTRADICTED: '✕ contradicted',
      OPEN: '? not checked',
      DAMAGED: '! not readable',
    } satisfies Record<Standing, string>,
    bytes: 'The file is, byte for byte, the one that the proof is about.',
    key: (id: string, fingerprint: string) => `Signing key ${id}, fingerprint ${fingerprint}.`,
    keyFrom: {
      ISSUER: 'The key came from the server. Compare its fingerprint with one that you got another way.',
      TRUSTED_FILE: 'The key is the one that you gave.',
      NONE: 'The signature was not checked.',
    } satisfies Record<KeySource, string>,
    inForce: 'The proof is in force.',
    recorded: (time: string) => `The ledger recorded it at ${time}, by the clock of the ledger’s operator.`,
    issued: (time: string) => `It was issued at ${time}. The entry in the ledger was not read.`,
    notAsked: 'The server was not asked.',
    heldBack: 'The server was not asked, because the check here did not succeed.',
    noVoucher: 'No voucher of others is with this proof.',
    choose: 'Whom to trust is your choice: give their keys to the page that checks proofs.',
  },
  {
    unchanged: (time, word) => `自 ${time} 登记以来未被改动，${word}。`,
    byServer: '以被询问的服务器的说法为准',
    byKey: '由您提供的密钥签名',
    titles: { HERE: '在此检查的字节和签名', SERVER: '服务器今天的说法', OTHERS: '见证时间的其他方' },
    marks: { HOLDS: '✓ 成立', CONTRADICTED: '✕ 矛盾', OPEN: '? 未检查', DAMAGED: '! 无法读取' },
    bytes: '该文件逐字节就是证明所指的文件。',
    key: (id, fingerprint) => `签名密钥 ${id}，指纹 ${fingerprint}。`,
    keyFrom: {
      ISSUER: '密钥来自服务器。请与您通过其他途径取得的指纹核对。',
      TRUSTED_FILE: '密钥由您提供。',
      NONE: '未检查签名。',
    },
    inForce: '该证明有效。',
    recorded: time => `账本于 ${time} 登记，以账本运营方的时钟为准。`,
    issued: time => `签发于 ${time}。未读取账本中的条目。`,
    notAsked: '未询问服务器。',
    heldBack: '未询问服务器，因为在此进行的检查未成功。',
    noVoucher: '此证明没有附带他人的见证。',
    choose: '信任谁由您决定：请把他们的密钥交给核验页面。',
  },
);

type Texts = (typeof statementWords)[Language];

/** To the second, in UTC. */
const toTime = (iso: string): string => `${iso.slice(0, 19).replace('T', ' ')} UTC`;

const mostVouchers = 12;
const askedChecks: readonly CheckId[] = ['status.current', 'chain.live-root'];

export function describeStatements(
  report: VerificationReport,
  existence: ExistenceText | undefined,
  language: Language,
): StatementTexts {
  const texts = statementWords[language];
  const { headline, limits } = explain(report, language);
  const { recordedAt, issuedAt, keySource } = report.summary;
  const time = recordedAt ?? issuedAt;
  const word = keySource === 'TRUSTED_FILE' ? texts.byKey : texts.byServer;
  return {
    outcome: report.outcome,
    headline: report.outcome === 'VALID' && time !== undefined ? texts.unchanged(toTime(time), word) : headline,
    statements: [
      describeLocalChecks(report, language),
      describeServer(report, language),
      describeVouchers(existence, texts),
    ],
    limits,
  };
}

const state = (texts: Texts, id: Statement['id'], standing: Standing, lines: readonly string[]): Statement => ({
  ...{ id, standing, lines },
  mark: texts.marks[standing],
  title: texts.titles[id],
});

function standingOf(checks: readonly CheckResult[]): Standing {
  const has = (status: CheckResult['status']) => checks.some(check => check.status === status);
  if (has('ERROR')) return 'DAMAGED';
  if (has('FAIL')) return 'CONTRADICTED';
  return has('INDETERMINATE') || checks.length === 0 ? 'OPEN' : 'HOLDS';
}

/** The decisive findings of a statement that does not hold. */
const listFindings = (checks: readonly CheckResult[], language: Language): string[] => [
  ...new Set(
    checks
      .filter(({ status, code }) => status !== 'PASS' && code !== 'NOT_RUN')
      .map(check => describeFinding(check, language) ?? checkTexts[language][check.id]),
  ),
];

function describeLocalChecks({ checks, summary }: VerificationReport, language: Language): Statement {
  const texts = statementWords[language];
  const own = checks.filter(({ id }) => !askedChecks.includes(id));
  const standing = standingOf(own);
  if (standing === 'CONTRADICTED' || standing === 'DAMAGED')
    return state(texts, 'HERE', standing, listFindings(own, language));
  const isSigned = own.every(({ id, status }) => !isAboutSignature(id) || status === 'PASS');
  const isSame = own.every(({ id, status }) => isAboutSignature(id) || status === 'PASS');
  return state(texts, 'HERE', standing, [
    ...(isSame ? [texts.bytes] : []),
    ...(isSigned ? describeKey(summary, texts) : [texts.keyFrom.NONE]),
    ...listFindings(own, language),
  ]);
}

const isAboutSignature = (id: string): boolean => id.startsWith('signature.');

const describeKey = ({ keyId, keyFingerprint, keySource }: ReportSummary, texts: Texts): string[] => [
  ...(keyId === undefined || keyFingerprint === undefined ? [] : [texts.key(keyId, keyFingerprint)]),
  texts.keyFrom[keySource],
];

function describeServer({ checks, summary }: VerificationReport, language: Language): Statement {
  const texts = statementWords[language];
  const serverChecks = checks.filter(({ id }) => askedChecks.includes(id));
  const standing = standingOf(serverChecks);
  if (serverChecks.every(({ code }) => code === 'OFFLINE')) return state(texts, 'SERVER', 'OPEN', [texts.notAsked]);
  if (serverChecks.every(({ code }) => code === 'NOT_RUN')) return state(texts, 'SERVER', 'OPEN', [texts.heldBack]);
  const hasPassed = (check: CheckId) => serverChecks.some(({ id, status }) => id === check && status === 'PASS');
  const { currentStatus, recordedAt, issuedAt } = summary;
  return state(texts, 'SERVER', standing, [
    ...(hasPassed('status.current') && currentStatus === 'ACTIVE' ? [texts.inForce] : []),
    ...(hasPassed('chain.live-root') ? describeRecord(recordedAt, issuedAt, texts) : []),
    ...listFindings(serverChecks, language),
  ]);
}

function describeRecord(recordedAt: string | undefined, issuedAt: string | undefined, texts: Texts): string[] {
  if (recordedAt !== undefined) return [texts.recorded(toTime(recordedAt))];
  return issuedAt === undefined ? [] : [texts.issued(toTime(issuedAt))];
}

const outcomeStandings = {
  EXISTED: 'HOLDS',
  CONTRADICTED: 'CONTRADICTED',
  NOT_SHOWN: 'OPEN',
  ERROR: 'DAMAGED',
} as const;

/** Every voucher is listed, including unchecked ones. */
function describeVouchers(existence: ExistenceText | undefined, texts: Texts): Statement {
  if (existence === undefined) return state(texts, 'OTHERS', 'OPEN', [texts.noVoucher]);
  const { outcome, headline, sections, advice } = existence;
  const rows = (sections[0]?.rows ?? []).slice(0, mostVouchers);
  return state(texts, 'OTHERS', outcomeStandings[outcome], [
    headline,
    ...rows.map(({ title, lines }) => [title, ...lines].join(': ')),
    ...(advice.length === 0 ? [] : [texts.choose]),
  ]);
}
