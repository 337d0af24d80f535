// Sentences of an existence report, in both languages. The report's own sentences are English; Chinese is chosen by
// code, with the names in the report.
import { type Language, words } from '@recordproof/shared/words/words.ts';
import type {
  ExistenceCode,
  ExistenceOutcome,
  ExistenceReport,
  Link,
  UncheckedVoucher,
  Voucher,
} from './existence-report.ts';

type Kind = Voucher['kind'];
type Need = UncheckedVoucher['needs'];

const optionOf: Readonly<Record<Need, string>> = { policy: 'policy', roots: 'tsa-roots', headers: 'bitcoin-headers' };

const existenceWords = words(
  {
    title: 'When it existed, and on whose word',
    existed: (time: string) => `These bytes existed no later than ${time}.`,
    headlines: {
      CONTRADICTED: 'These files do not fit together: something was changed, forged or mixed up.',
      NOT_SHOWN: 'No voucher contradicts it, but no party that you trust states since when the file existed.',
      ERROR: 'Some of these files cannot be read, so nothing can be said.',
    } satisfies Record<Exclude<ExistenceOutcome, 'EXISTED'>, string>,
    reason: 'Reason',
    onWhoseWord: 'On whose word',
    unmet: 'Nothing speaks against it, but not all that you asked for is shown.',
    noVoucher: 'None: there is no voucher.',
    unchecked: 'It is there, but was not checked.',
    needs: {
      policy: 'Witnesses need a policy with the keys that you trust',
      roots: 'Time stamps need root certificates that you trust',
      headers: 'Blocks need headers of a node that you trust',
    } satisfies Record<Need, string>,
    give: (what: string, option: string) => `${what}: --${option} FILE, or the file on the page or in the app.`,
    restsOn: (trust: string) => `Rests on ${trust}.`,
    askedFor: 'You asked for',
    notMet: 'not met',
    steps: 'From the file to there',
    file: 'File',
    checkpoint: 'Checkpoint',
    entries: (origin: string, size: number) => `${origin}, ${size} entries`,
    recorded: 'Recorded',
    recordedAt: (time: string) => `${time}, on the word of the operator alone`,
    limits:
      'This does not show who made the file, whether its content is true, or whether its proof was revoked since.',
    kinds: {
      WITNESS: 'witness',
      QUORUM: 'quorum',
      RFC3161: 'time stamp',
      BITCOIN: 'Bitcoin',
      CALENDAR: 'calendar',
      OTHER: 'other',
    } as Readonly<Record<Kind, string>>,
    standings: {
      HOLDS: '✓ holds',
      MISSING: '? undetermined',
      CONTRADICTED: '✕ contradicted',
      DAMAGED: '! damaged',
    } as Readonly<Record<Voucher['standing'], string>>,
  },
  {
    title: '何时已存在，以谁的说法为准',
    existed: time => `这些字节最迟在 ${time} 已经存在。`,
    headlines: {
      CONTRADICTED: '这些文件互不相符：其中有的被改动、伪造或混淆了。',
      NOT_SHOWN: '没有发现矛盾，但您信任的各方都没有说明文件自何时起存在。',
      ERROR: '其中有些文件无法读取，因此无法得出结论。',
    },
    reason: '原因',
    onWhoseWord: '以谁的说法为准',
    unmet: '没有发现矛盾，但您所要求的并未全部得到证明。',
    noVoucher: '无：没有任何见证。',
    unchecked: '它存在，但未经检查。',
    needs: {
      policy: '见证人需要含有您信任的密钥的策略',
      roots: '时间戳需要您信任的根证书',
      headers: '区块需要您信任的节点的区块头',
    },
    give: (what, option) => `${what}：--${option} FILE，或在网页、应用中选择该文件。`,
    restsOn: trust => `依据：${trust}。`,
    askedFor: '您要求',
    notMet: '未满足',
    steps: '从文件到见证的各步',
    file: '文件',
    checkpoint: '检查点',
    entries: (origin, size) => `${origin}，${size} 个条目`,
    recorded: '登记时间',
    recordedAt: time => `${time}，仅为运营方自己的说法`,
    limits: '这并不说明文件由谁制作、内容是否属实，也不说明其证明此后是否被撤销。',
    kinds: {
      WITNESS: '见证人',
      QUORUM: '法定数',
      RFC3161: '时间戳',
      BITCOIN: '比特币',
      CALENDAR: '日历服务',
      OTHER: '其他',
    },
    standings: { HOLDS: '✓ 成立', MISSING: '? 无法确定', CONTRADICTED: '✕ 矛盾', DAMAGED: '! 损坏' },
  },
);

const linksThatHold: Readonly<Record<Link['id'], string>> = {
  FILE: '文件已完整读取。',
  ARCHIVE: '证明归档完好，并且是关于此文件的。',
  ENTRY: '账本条目是关于此证明的。',
  PATH: '条目位于检查点的树中。',
  LOG: '检查点由策略中的账本签名。',
  ROOTS: '根证书可用。',
  HEADERS: '区块头可用。',
};

const vouchersThatHold: Readonly<Record<Kind, string>> = {
  WITNESS: '见证人看到过此检查点，并确认它延续了此前的所有检查点。',
  QUORUM: '达到了您策略要求的法定数。',
  RFC3161: '该机构为此检查点加盖了时间戳。',
  BITCOIN: '该区块包含从此文件推导出的值。',
  CALENDAR: '日历服务已作出说明。',
  OTHER: '已作出说明。',
};

const trusts: Readonly<Record<Kind, string>> = {
  WITNESS: '该见证人（凭您策略中的密钥）',
  QUORUM: '不诚实的见证人少于法定数所需的人数',
  RFC3161: '该机构（凭您提供的根证书）',
  BITCOIN: '比特币链（凭您提供的区块头）',
  CALENDAR: '该日历服务',
  OTHER: '未知',
};

const findings: Readonly<Record<Exclude<ExistenceCode, 'OK'>, string>> = {
  CHECK_FAILED: '此项检查未能安全完成。',
  ORIGINAL_UNREADABLE: '文件未能完整读取。',
  ORIGINAL_TOO_LARGE: '文件超过了本核验器接受的大小。',
  ARCHIVE_ABSENT: '没有证明归档，因此文件无法与检查点相连。',
  ARCHIVE_CONTRADICTED: '证明归档与文件不符，或自相矛盾。',
  ARCHIVE_DAMAGED: '证明归档无法核验。',
  EVIDENCE_DAMAGED: '证据归档已被改动或损坏。',
  TLOG_PROOF_ABSENT: '没有账本条目的证明。',
  TLOG_PROOF_DAMAGED: '账本条目的证明无法读取。',
  ENTRY_ABSENT: '账本证明中没有条目本身。',
  ENTRY_DAMAGED: '账本条目无法读取。',
  ENTRY_OF_OTHER_PROOF: '账本条目是关于另一个证明或另一个批次的。',
  PATH_MISMATCH: '条目的路径不通向检查点的根。',
  NOT_RUN: '前面的步骤缺失。',
  NOT_LINKED: '见证本身正确，但不通向此文件。',
  POLICY_ABSENT: '没有提供策略：未检查账本和见证人的签名。',
  POLICY_DAMAGED: '策略文件无法使用。',
  LOG_UNKNOWN: '策略中没有此账本。',
  LOG_UNSIGNED: '检查点没有此账本的签名。',
  LOG_SIGNATURE_WRONG: '账本在检查点上的签名是错误的。',
  COSIGNATURE_ABSENT: '该见证人没有为此检查点签名。',
  COSIGNATURE_WRONG: '该见证人的签名是错误的：系伪造，或属于另一检查点。',
  COSIGNATURE_UNCHECKED: '该见证人的签名类型在此无法校验。',
  QUORUM_NOT_REACHED: '签名的见证人太少，未达到法定数。',
  TIME_ABSENT: '没有说明时间。',
  ROOTS_ABSENT: '没有提供根证书，因此不信任任何机构。',
  ROOTS_DAMAGED: '根证书文件无法使用。',
  STAMP_UNREADABLE: '时间戳无法读取。',
  STAMP_TOO_LARGE: '时间戳过大。',
  STAMP_TRUNCATED: '时间戳被截断。',
  STAMP_TRAILING_BYTES: '时间戳之后还有多余字节。',
  STAMP_MALFORMED: '时间戳格式不正确。',
  STAMP_ALGORITHM: '时间戳使用了不被接受的算法。',
  STAMP_REFUSED: '该机构拒绝了加盖时间戳。',
  STAMP_IMPRINT: '时间戳属于别的内容。',
  STAMP_NONCE: '时间戳是对另一请求的答复。',
  STAMP_POLICY: '时间戳是按另一策略签发的。',
  STAMP_CERTIFICATE: '签名者的证书缺失，或不能用于时间戳。',
  STAMP_SIGNATURE: '时间戳的签名是错误的。',
  STAMP_EXPIRED: '在该时间没有有效的证书链。',
  STAMP_UNTRUSTED: '您提供的根证书都不认证该机构。',
  OTS_DAMAGED: 'OpenTimestamps 文件无法读取。',
  OTS_OF_OTHER_FILE: 'OpenTimestamps 文件属于另一个文件。',
  ATTESTATION_PENDING: '日历服务承诺写入区块；这还不是证明。',
  ATTESTATION_UNKNOWN: '此类证明在此不作检查。',
  HEADERS_ABSENT: '没有提供区块头，因此未检查该区块。',
  HEADERS_DAMAGED: '区块头文件无法使用。',
  HEADER_ABSENT: '您提供的区块头中没有该区块。',
  BLOCK_MISMATCH: '该区块不包含从此文件推导出的值。',
};

type Row = {
  readonly standing: Voucher['standing'];
  readonly mark: string;
  readonly title: string;
  readonly lines: readonly string[];
  readonly code?: ExistenceCode;
};
type Section = { readonly title: string; readonly rows: readonly Row[] };

/** The content of a report in display order, for any format. */
export type ExistenceText = {
  readonly outcome: ExistenceOutcome;
  readonly title: string;
  readonly headline: string;
  readonly reason?: readonly [name: string, code: string] | undefined;
  readonly facts: readonly (readonly [name: string, value: string])[];
  readonly sections: readonly Section[];
  /** What to supply so that unchecked vouchers can be checked. */
  readonly advice: readonly string[];
  readonly limits: string;
};

export function describeExistence(report: ExistenceReport, language: Language): ExistenceText {
  const texts = existenceWords[language];
  const { outcome, reason, vouchers, required, links, unchecked = [] } = report;
  const missingRow: Row = { standing: 'MISSING', mark: texts.standings.MISSING, title: texts.noVoucher, lines: [] };
  const rows = [
    ...unchecked.filter(({ needs }) => needs === 'policy').map(one => describeUnchecked(one, language)),
    ...vouchers.map(voucher => describeVoucher(voucher, language)),
  ];
  return {
    ...{ outcome, title: texts.title, headline: describeOutcome(report, language) },
    reason: reason && [texts.reason, reason],
    facts: listFacts(report, language),
    sections: [
      {
        title: texts.onWhoseWord,
        rows: rows.length === 0 ? [missingRow] : rows,
      },
      ...(required.length === 0
        ? []
        : [{ title: texts.askedFor, rows: required.map(one => describeRequirement(one, language)) }]),
      { title: texts.steps, rows: links.map(link => describeLink(link, language)) },
    ],
    advice: [...new Set(unchecked.map(({ needs }) => needs))].map(need =>
      texts.give(texts.needs[need], optionOf[need]),
    ),
    limits: texts.limits,
  };
}

function describeUnchecked({ kind, name }: UncheckedVoucher, language: Language): Row {
  const { kinds, standings, unchecked } = existenceWords[language];
  return { standing: 'MISSING', mark: standings.MISSING, title: `${kinds[kind]} ${name}`, lines: [unchecked] };
}

function describeVoucher(voucher: Voucher, language: Language): Row {
  const texts = existenceWords[language];
  const { kind, name, code, standing, time, trust, message } = voucher;
  const isEnglish = language === 'en';
  const found = code === 'OK' ? vouchersThatHold[kind] : findings[code];
  return {
    ...{ standing, code, mark: texts.standings[standing] },
    title: `${texts.kinds[kind]} ${name}${time === undefined ? '' : `, ${toShownTime(time)}`}`,
    lines: [
      isEnglish ? message : found,
      ...(standing === 'HOLDS' ? [texts.restsOn(isEnglish ? trust : trusts[kind])] : []),
    ],
  };
}

function describeRequirement(
  { requirement, isMet, time }: ExistenceReport['required'][number],
  language: Language,
): Row {
  const texts = existenceWords[language];
  const standing = isMet ? 'HOLDS' : 'MISSING';
  const when = time === undefined ? `: ${texts.notMet}` : `, ${toShownTime(time)}`;
  return { standing, mark: texts.standings[standing], title: `${requirement}${when}`, lines: [] };
}

function describeLink({ id, code, standing, message }: Link, language: Language): Row {
  const found = code === 'OK' ? linksThatHold[id] : findings[code];
  const title = language === 'en' ? message : found;
  return { standing, code, mark: existenceWords[language].standings[standing], title, lines: [] };
}

function describeOutcome({ outcome, reason, existedNoLaterThan }: ExistenceReport, language: Language): string {
  const texts = existenceWords[language];
  if (reason === 'REQUIREMENT_NOT_MET') return texts.unmet;
  return existedNoLaterThan === undefined || outcome !== 'EXISTED'
    ? texts.headlines[outcome === 'EXISTED' ? 'ERROR' : outcome]
    : texts.existed(toShownTime(existedNoLaterThan));
}

/** Without fractions of a second, rounded up, because the time is an upper bound. */
function toShownTime(time: string): string {
  const millis = Math.ceil(Date.parse(time) / 1000) * 1000;
  return new Date(millis).toISOString().replace('T', ' ').replace('.000Z', ' UTC');
}

function listFacts({ contentHash, checkpoint, entry }: ExistenceReport, language: Language): [string, string][] {
  const texts = existenceWords[language];
  const facts: [string, string | undefined][] = [
    [texts.file, contentHash],
    [texts.checkpoint, checkpoint && texts.entries(checkpoint.origin, checkpoint.size)],
    [texts.recorded, entry && texts.recordedAt(entry.recordedAt)],
  ];
  return facts.filter((fact): fact is [string, string] => fact[1] !== undefined);
}
