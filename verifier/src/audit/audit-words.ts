// Sentences on audit findings, in the reader's language. Names come from the ledger and the caller's files.
import type { Language } from '@recordproof/shared/words/words.ts';
import type { AuditCode, AuditFacts, AuditFinding } from './audit-report.ts';

type Sentence = (facts: AuditFacts) => string;

const english: Readonly<Record<AuditCode, Sentence>> = {
  KEY_NOT_PINNED: ({ key }) =>
    `You named no key, so the one that the ledger names itself was used: ${key}. A server that answers in its place could name another.`,
  LOG_SIGNATURE_WRONG: ({ key }) => `The checkpoint has a wrong signature of the key ${key}.`,
  LOG_UNSIGNED: ({ key }) => `What was shown is no checkpoint that is signed by the key ${key}.`,
  KEPT_UNUSABLE: ({ why }) => `A checkpoint that was kept could not be compared: ${why}.`,
  LOG_WENT_BACK: ({ size, newSize }) => `The ledger had ${size} entries, and now shows ${newSize}.`,
  LOG_REWRITTEN: ({ size, newSize }) =>
    `The ledger of ${newSize} entries is not an extension of the one of ${size} that was signed before: it was rewritten, or forked.`,
  TILES_WITHHELD: ({ size }) => `The ledger does not show all of the ${size} entries that it signed.`,
  TILES_MISMATCH: ({ size }) => `The entries that are shown are not those of the signed checkpoint of ${size}.`,
  ENTRY_MALFORMED: ({ position }) => `Entry ${position} is not of the form that entries have.`,
  ENTRY_UNKNOWN_KIND: ({ position }) => `Entry ${position} is of a kind that this release does not know.`,
  TIME_WENT_BACK: ({ position, time, earlier, earlierTime }) =>
    `Entry ${position} states ${time}, after entry ${earlier}, which states ${earlierTime}.`,
  TIME_IN_FUTURE: ({ position, time }) => `Entry ${position} states ${time}, which is still to come.`,
  TIME_AFTER_VOUCHER: ({ position, time, by, vouchedTime }) =>
    `Entry ${position} states ${time}, but ${by} vouched for it at ${vouchedTime} already.`,
  TIME_BEFORE_WITNESS: ({ position, time, by, vouchedTime }) =>
    `Entry ${position} states ${time}, but the ledger that ${by} saw at ${vouchedTime} did not have it yet.`,
  RECORD_TWICE: ({ recordId, position, earlier }) =>
    `The file record ${recordId} is there twice, in entries ${earlier} and ${position}.`,
  BATCH_TWICE: ({ batchNo, position, earlier }) =>
    `The batch ${batchNo} is recorded twice, in entries ${earlier} and ${position}.`,
  PROOF_TWICE: ({ proof, position, earlier }) =>
    `The proof ${proof} is issued twice, in entries ${earlier} and ${position}.`,
  STATUS_TAKEN_BACK: ({ proof, position, status, earlier, earlierStatus }) =>
    `Entry ${position} says that the proof ${proof} is ${status}, after entry ${earlier} said ${earlierStatus}.`,
  KEY_CHANGED: ({ key, position, earlier }) =>
    `Entry ${position} says of the signing key ${key} what cannot follow what entry ${earlier} said.`,
  KEY_RETIRED: ({ proof, position }) =>
    `The proof ${proof} of entry ${position} was issued when every signing key of the ledger was retired.`,
  AUDIT_LOG_WENT_BACK: ({ position, sequence, earlier, earlierSequence }) =>
    `Entry ${position} states ${sequence} rows of an audit log, after entry ${earlier}, which states ${earlierSequence}.`,
  PROOF_NOT_RECORDED: ({ proofId }) =>
    `No entry tells of the proof ${proofId}: its release recorded none, or it was never issued here.`,
  ANSWER_MISMATCH: ({ subject, position }) =>
    `The server answers something else about ${subject} than entry ${position} says.`,
  ANSWER_NEWER: ({ subject, position }) =>
    `The server answers about ${subject} what is newer than entry ${position}: the next audit shows whether it was recorded.`,
  ANSWER_WITHHELD: ({ subject, position }) =>
    `The server does not answer about ${subject}, which entry ${position} tells of.`,
  COSIGNATURE_WRONG: ({ size }) => `The checkpoint of ${size} entries has a wrong signature of a key of your policy.`,
  QUORUM_NOT_REACHED: ({ name, size }) =>
    `Too few witnesses cosigned the checkpoint of ${size} entries for the quorum ${name}.`,
  STAMP_WRONG: ({ why }) => `A time stamp is forged: ${why}.`,
  STAMP_UNUSABLE: ({ why }) => `A time stamp shows nothing: ${why}.`,
};

const chinese: Readonly<Record<AuditCode, Sentence>> = {
  KEY_NOT_PINNED: ({ key }) => `您未指定密钥，因此使用了账本自称的密钥 ${key}；冒充者可以给出另一个密钥。`,
  LOG_SIGNATURE_WRONG: ({ key }) => `检查点上密钥 ${key} 的签名是错误的。`,
  LOG_UNSIGNED: ({ key }) => `所出示的内容不是由密钥 ${key} 签名的检查点。`,
  KEPT_UNUSABLE: () => '有一个留存的检查点无法用于比较。',
  LOG_WENT_BACK: ({ size, newSize }) => `账本曾有 ${size} 个条目，现在只出示 ${newSize} 个。`,
  LOG_REWRITTEN: ({ size, newSize }) => `${newSize} 个条目的账本并未延续先前签名的 ${size} 个条目：历史被改写或分叉。`,
  TILES_WITHHELD: ({ size }) => `账本没有出示其签名的全部 ${size} 个条目。`,
  TILES_MISMATCH: ({ size }) => `所出示的条目与已签名的 ${size} 个条目的检查点不符。`,
  ENTRY_MALFORMED: ({ position }) => `条目 ${position} 不符合规定的格式。`,
  ENTRY_UNKNOWN_KIND: ({ position }) => `条目 ${position} 的类型是此版本所不认识的。`,
  TIME_WENT_BACK: ({ position, time, earlier, earlierTime }) =>
    `条目 ${position} 的时间 ${time} 早于之前的条目 ${earlier}（${earlierTime}）。`,
  TIME_IN_FUTURE: ({ position, time }) => `条目 ${position} 的时间 ${time} 尚未到来。`,
  TIME_AFTER_VOUCHER: ({ position, time, by, vouchedTime }) =>
    `条目 ${position} 的时间为 ${time}，但 ${by} 在 ${vouchedTime} 就已为其作证。`,
  TIME_BEFORE_WITNESS: ({ position, time, by, vouchedTime }) =>
    `条目 ${position} 的时间为 ${time}，但 ${by} 在 ${vouchedTime} 所见的账本中尚无此条目。`,
  RECORD_TWICE: ({ recordId, position, earlier }) =>
    `文件登记 ${recordId} 在条目 ${earlier} 和 ${position} 中出现了两次。`,
  BATCH_TWICE: ({ batchNo, position, earlier }) => `批次 ${batchNo} 在条目 ${earlier} 和 ${position} 中记录了两次。`,
  PROOF_TWICE: ({ proof, position, earlier }) => `证明 ${proof} 在条目 ${earlier} 和 ${position} 中签发了两次。`,
  STATUS_TAKEN_BACK: ({ proof, position, status, earlier, earlierStatus }) =>
    `条目 ${position} 称证明 ${proof} 为 ${status}，而之前的条目 ${earlier} 称其为 ${earlierStatus}。`,
  KEY_CHANGED: ({ key, position, earlier }) =>
    `条目 ${position} 对签名密钥 ${key} 的陈述与之前的条目 ${earlier} 不能并存。`,
  KEY_RETIRED: ({ proof, position }) => `条目 ${position} 中的证明 ${proof} 签发时，账本中的所有签名密钥均已停用。`,
  AUDIT_LOG_WENT_BACK: ({ position, sequence, earlier, earlierSequence }) =>
    `条目 ${position} 称审计日志有 ${sequence} 行，而之前的条目 ${earlier} 称有 ${earlierSequence} 行。`,
  PROOF_NOT_RECORDED: ({ proofId }) => `没有条目涉及证明 ${proofId}：旧版本未作记录，或从未在此签发。`,
  ANSWER_MISMATCH: ({ subject, position }) => `服务器对 ${subject} 的回答与条目 ${position} 不同。`,
  ANSWER_NEWER: ({ subject, position }) =>
    `服务器对 ${subject} 的回答比条目 ${position} 更新；下次审计可知其是否已被记录。`,
  ANSWER_WITHHELD: ({ subject, position }) => `服务器未回答 ${subject}，而条目 ${position} 中有其记录。`,
  COSIGNATURE_WRONG: ({ size }) => `${size} 个条目的检查点上，您的策略中有密钥的签名是错误的。`,
  QUORUM_NOT_REACHED: ({ name, size }) => `为 ${size} 个条目的检查点联署的见证人太少，未达到法定数 ${name}。`,
  STAMP_WRONG: () => '有一个时间戳是伪造的。',
  STAMP_UNUSABLE: () => '有一个时间戳不能证明任何内容。',
};

const sentences = { en: english, zh: chinese };

export const describeAudit = ({ code, facts }: Pick<AuditFinding, 'code' | 'facts'>, language: Language): string =>
  sentences[language][code](facts);
