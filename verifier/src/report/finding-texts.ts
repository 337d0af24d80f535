// Sentences on findings, in the reader's language. In English they come from the report; in other languages from the
// code, whose meaning never changes. Passed checks show only their question.
import type { Language } from '@recordproof/shared/words/words.ts';
import type { CheckCode, LookupFailure } from '../verify/check-codes.ts';
import type { CheckResult } from '../verify/report.ts';

type Subject = 'KEY' | 'STATUS' | 'CHAIN' | 'LEDGER';
type LookupCode = `${Subject}_${'UNKNOWN' | LookupFailure}`;

const askedInChinese: Readonly<Record<Subject, string>> = {
  KEY: '询问签名密钥',
  STATUS: '询问证明的当前状态',
  CHAIN: '询问链上的根',
  LEDGER: '读取账本中的批次条目',
};

const failuresInChinese: Readonly<Record<'UNKNOWN' | LookupFailure, string>> = {
  UNKNOWN: '对方不知道此项',
  SCHEME_REFUSED: '地址不是 https，未予连接',
  HOST_NOT_ALLOWED: '该主机不在允许之列',
  ADDRESS_REFUSED: '该地址属于内部网络，未予连接',
  NAME_NOT_RESOLVED: '找不到该主机名',
  CONNECTION_FAILED: '无法连接',
  TIMED_OUT: '未在限时内得到响应',
  REDIRECT_REFUSED: '对方要求转到别处，未予跟随',
  ANSWER_NOT_OK: '对方以错误作答',
  MEDIA_TYPE_REFUSED: '响应不是所需的类型',
  ANSWER_TOO_LARGE: '响应过大',
  ANSWER_MALFORMED: '响应不符合格式',
  UNAVAILABLE: '对方暂时不可用',
};

const foundInChinese: Readonly<Record<Exclude<CheckCode, 'OK' | LookupCode>, string>> = {
  NOT_RUN: '因前面的检查未成功，此项无法检查。',
  CHECK_FAILED: '此项检查自身出错，这是程序缺陷。',
  ARCHIVE_UNREADABLE: '无法读取归档。',
  ARCHIVE_TOO_LARGE: '归档超过了允许的大小。',
  ARCHIVE_TRUNCATED: '归档不完整。',
  ARCHIVE_ENTRY_HEADER: '某个条目的头部不是允许的形式。',
  ARCHIVE_ENTRY_TOO_LARGE: '某个条目过大。',
  ARCHIVE_ENTRY_NAME: '某个条目的名称不是规定的名称。',
  ARCHIVE_DIRECTORY: '归档目录与条目不符。',
  ARCHIVE_END_RECORD: '归档的结束记录不是允许的形式。',
  ARCHIVE_TRAILING_BYTES: '归档末尾之后还有内容。',
  ARCHIVE_ENTRY_CHECKSUM: '某个条目与其校验和不符。',
  JSON_NOT_UTF8: '内容不是有效的 UTF-8。',
  JSON_SYNTAX: '内容不是正确的 JSON。',
  JSON_TRAILING_TOKEN: '值的后面还有内容。',
  JSON_DUPLICATE_FIELD: '有字段出现了两次。',
  JSON_TOO_DEEP: '嵌套层数过多。',
  JSON_STRING_TOO_LONG: '有字符串过长。',
  JSON_LONE_SURROGATE: '有字符不完整。',
  JSON_NUMBER_TOO_LONG: '有数字的位数过多。',
  JSON_NUMBER_OUT_OF_RANGE: '有数字超出范围。',
  JSON_TOO_MANY_VALUES: '值或字段过多。',
  JSON_SHAPE: '字段或其类型与规定不符。',
  JSON_NOT_CANONICAL: '内容不是规范形式。',
  MANIFEST_CONTRACT: '清单的内容与规定不符，或自相矛盾。',
  ENTRY_NOT_LISTED: '清单未列出某个条目。',
  ENTRY_SIZE_MISMATCH: '某个条目的大小与清单不符。',
  ENTRY_DIGEST_MISMATCH: '某个条目的 SHA-256 与清单不符。',
  POLICY_CHANGED: '核验策略不是已公布的文本。',
  README_CHANGED: '归档中的说明不是已公布的文本。',
  CHUNKS_CONTRACT: '分块列表自相矛盾或与规定不符。',
  MANIFEST_HASH_MISMATCH: '分块列表的哈希与锚定的不同。',
  ORIGINAL_TOO_LARGE: '原始文件超过了允许的大小。',
  ORIGINAL_UNREADABLE: '无法读取原始文件。',
  CONTENT_HASH_MISMATCH: '这个文件不是登记的文件：SHA-256 不同。',
  CONTENT_SIZE_MISMATCH: '文件大小与登记的不同。',
  FILE_HASH_ENTRY_MISMATCH: '归档中写明的 SHA-256 彼此不一致。',
  FILE_HASH_MISMATCH: '文件的 SHA-256 与归档写明的不同。',
  CHUNK_COUNT_MISMATCH: '文件的块数与登记的不同。',
  CHUNK_HASH_MISMATCH: '文件中有一块与登记的不同。',
  MERKLE_CONTRACT: '默克尔证明的内容与规定不符。',
  EVIDENCE_HASH_MISMATCH: '默克尔证明所说的是另一条记录。',
  LEAF_HASH_MISMATCH: '叶子的哈希与记录不符。',
  MERKLE_ROOT_MISMATCH: '路径没有通向登记的根。',
  RECEIPT_MISMATCH: '链的回执与证明不符。',
  TRUSTED_KEY_UNREADABLE: '无法读取可信公钥文件。',
  TRUSTED_KEY_INVALID: '可信公钥文件已损坏，或不是公钥文件。',
  TRUSTED_KEY_MISSING: '没有提供可信公钥。',
  TRUSTED_KEY_OTHER: '证明所指明的密钥不是您提供的密钥。',
  KEY_IDENTITY_MISMATCH: '得到的密钥不是证明所指明的密钥。',
  KEY_FINGERPRINT_MISMATCH: '密钥的指纹与证明写明的不同。',
  KEY_NOT_IN_USE: '证明的日期不在该密钥的使用期内。',
  KEY_PERIOD_UNKNOWN: '签发方没有说明该密钥的使用期。',
  JWS_MALFORMED: '签名不是规定的形式。',
  JWS_PAYLOAD_MISMATCH: '签名所签的不是这份清单。',
  JWS_CONTRACT: '签名的头部或数值与规定不符。',
  SIGNATURE_NOT_CHECKED: '没有可信的密钥，因此未校验签名。',
  SIGNATURE_INVALID: '签名不是由该密钥作出的。',
  OFFLINE: '没有联网询问。',
  STATUS_IDENTITY_MISMATCH: '签发方签发的是另一份证明，与这一份不同。',
  STATUS_REVOKED: '签发方已撤销该证明。',
  STATUS_SUPERSEDED: '该证明已被较新版本的证明取代。',
  STATUS_INVALID: '签发方表示该证明无效。',
  STATUS_INCOMPLETE: '签发方没有说明它签发的是哪一份清单和文件。',
  STATUS_NOT_ON_LEDGER: '签发方没有在账本上显示该证明的状态。',
  KEY_ENTRY_MISMATCH: '签发方为其密钥指明的账本条目说的是别的内容。',
  ISSUE_ENTRY_MISMATCH: '账本上签发的是另一份清单或另一份证明，或者时间不符。',
  STATUS_ENTRY_MISMATCH: '账本上的状态与签发方所说的不同，或者属于另一份证明。',
  CHAIN_ROOT_MISMATCH: '链上显示的是另一个根。',
  CHAIN_ENTRY_MISMATCH: '已签名的账本在回执所说的位置没有这个批次。',
  CHAIN_TIME_MISMATCH: '证明的日期早于账本记录其批次的时间。',
  CHAIN_TIME_DISORDER: '账本中该批次前后的时间互相矛盾，不能说明日期。',
};

const isFound = (code: CheckCode): code is keyof typeof foundInChinese => Object.hasOwn(foundInChinese, code);

const lookupsInChinese = new Map<string, string>(
  Object.entries(askedInChinese).flatMap(([subject, question]) =>
    Object.entries(failuresInChinese).map(
      ([why, failure]) => [`${subject}_${why}`, `${question}：${failure}。`] as const,
    ),
  ),
);

const describeInChinese = (code: CheckCode): string =>
  isFound(code) ? foundInChinese[code] : (lookupsInChinese.get(code) ?? code);

/** Returns undefined if there is nothing to add to the check's question. */
export function describeFinding({ code, message }: CheckResult, language: Language): string | undefined {
  if (language === 'en') return message;
  return code === 'OK' ? undefined : describeInChinese(code);
}
