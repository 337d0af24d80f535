// Texts of the outcomes of a verification.
import { type Language, words } from '@recordproof/shared/words/words.ts';
import type { CheckCode } from '../verify/check-codes.ts';
import type { Outcome, VerificationReport } from '../verify/report.ts';

export type Explanation = { headline: string; meaning: string; limits: string };

const outcomeTexts = words(
  {
    VALID: {
      headline: 'The proof holds.',
      meaning:
        'The file is byte for byte the one that was recorded. The signature is by the trusted key, the issuer says today that the proof is in force, and the chain shows the recorded root today.',
      limits: 'It does not say who wrote the file or whether what it says is true.',
    },
    INVALID: {
      headline: 'The proof does not hold.',
      meaning:
        'At least one thing does not match: the file is another one, the archive was changed, the signature is wrong, or the proof is no longer in force. The failed checks say which.',
      limits: 'It does not say who changed what. A wrong file picked by mistake gives the same result.',
    },
    INDETERMINATE: {
      headline: 'Nothing speaks against the proof, but it is not confirmed.',
      meaning:
        'Everything that could be checked agrees. Something needed for a full confirmation was not available: a trusted key, the current status, or the root on the chain. The undetermined checks say which.',
      limits: 'Do not treat this as a confirmation.',
    },
    ERROR: {
      headline: 'The proof could not be checked.',
      meaning:
        'The archive, a key or the file is damaged, not of the expected kind, too large, or could not be read. The checks say where it stopped.',
      limits: 'It says nothing about whether the file is genuine.',
    },
  } satisfies Record<Outcome, Explanation>,
  {
    VALID: {
      headline: '证明成立。',
      meaning: '该文件逐字节就是当初登记的文件。签名由可信公钥作出，签发方今天表示该证明有效，链上今天显示所登记的根。',
      limits: '它不说明文件由谁撰写，也不说明其内容是否属实。',
    },
    INVALID: {
      headline: '证明不成立。',
      meaning: '至少有一处不符：文件不是同一个、归档被改动、签名有误，或证明已不再有效。未通过的检查说明是哪一处。',
      limits: '它不说明是谁改动了什么。误选了别的文件也会得到同样的结果。',
    },
    INDETERMINATE: {
      headline: '没有发现与证明相悖之处，但证明尚未得到确认。',
      meaning:
        '所有能检查的内容都一致。完全确认所需的某项内容缺失：可信公钥、当前状态或链上的根。无法确定的检查说明是哪一项。',
      limits: '请勿把它当作确认。',
    },
    ERROR: {
      headline: '无法核验该证明。',
      meaning: '归档、密钥或文件已损坏、不是预期的类型、过大或无法读取。各项检查说明停在了哪里。',
      limits: '它不说明文件是否真实。',
    },
  },
);

/** An untrusted key, a missing key, and a valid offline check have different texts. */
const reasonTexts = words(
  {
    TRUSTED_KEY_MISSING: {
      headline: 'No trusted key was given, so it is not known who signed this.',
      meaning:
        'File and archive agree with each other. But anyone can make such an archive: only a key that you obtained from the issuer over a channel that you trust shows whether the issuer signed this one.',
      limits: 'Do not treat this as a confirmation.',
    },
    TRUSTED_KEY_OTHER: {
      headline: 'The proof is signed by a key that you do not trust.',
      meaning:
        'File and archive agree with each other, but the archive names another signing key, or another version of it, than the one that you gave. A forgery would look exactly like this; so does an honest proof by a key that you do not have yet.',
      limits: 'Do not treat this as a confirmation.',
    },
    OFFLINE: {
      headline:
        'The file is the recorded one and the key is right; no server was asked whether the proof is in force today.',
      meaning:
        'File, archive and signature agree, and the signature is by the key that you trust. Whether the proof has been revoked since, and whether the chain still shows its root, can only be asked online.',
      limits: 'Do not treat this as a confirmation. Without a network this is the best possible result.',
    },
  } satisfies Partial<Record<CheckCode, Explanation>>,
  {
    TRUSTED_KEY_MISSING: {
      headline: '没有提供可信公钥，因此尚不知道是谁签的名。',
      meaning:
        '文件与归档彼此一致。但任何人都能制作这样的归档：只有您通过可信渠道从签发方取得的密钥，才能表明是否由签发方签名。',
      limits: '请勿把它当作确认。',
    },
    TRUSTED_KEY_OTHER: {
      headline: '该证明由您不信任的密钥签名。',
      meaning:
        '文件与归档彼此一致，但归档所指明的签名密钥或其版本与您提供的不同。伪造品看起来正是如此；由您尚未持有的密钥签发的真实证明也是如此。',
      limits: '请勿把它当作确认。',
    },
    OFFLINE: {
      headline: '文件就是登记的文件，密钥正确；但没有询问任何一方该证明今天是否有效。',
      meaning: '文件、归档与签名一致，签名由您信任的密钥作出。证明此后是否被撤销、链上是否仍显示其根，只能联网询问。',
      limits: '请勿把它当作确认。没有网络时，这是可能的最好结果。',
    },
  },
);

/** The text if the key is the one named by the issuer. */
const validByIssuer = words(
  {
    meaning:
      'The file is byte for byte the one that was recorded. The signature is by the key that the issuer named when it was asked, so all of this rests on the address that was asked. The issuer says today that the proof is in force, and the chain shows the recorded root today.',
  },
  {
    meaning:
      '该文件逐字节就是当初登记的文件。签名由签发方在被询问时指明的密钥作出，因此这一切都取决于被询问的地址。签发方今天表示该证明有效，链上今天显示所登记的根。',
  },
);

const isSpecial = (reason: CheckCode | undefined): reason is keyof (typeof reasonTexts)['en'] =>
  reason !== undefined && Object.hasOwn(reasonTexts.en, reason);

/** What the result means, and what it does not mean. */
export function explain({ outcome, reason, summary }: VerificationReport, language: Language = 'en'): Explanation {
  if (outcome === 'VALID' && summary.keySource === 'ISSUER')
    return { ...outcomeTexts[language].VALID, ...validByIssuer[language] };
  if (outcome === 'INDETERMINATE' && isSpecial(reason)) return reasonTexts[language][reason];
  return outcomeTexts[language][outcome];
}
