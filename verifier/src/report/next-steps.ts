// Suggested next steps for the decisive findings; one sentence per code, at most once per report.
import { type Language, words } from '@recordproof/shared/words/words.ts';
import type { CheckCode } from '../verify/check-codes.ts';
import { type CheckResult, decidingChecks, type VerificationReport } from '../verify/report.ts';

const steps = words(
  {
    addKey:
      'Add the issuer’s trusted key (in a terminal with --trusted-key). Take it from the issuer by a way that you trust, never from the archive.',
    askForKey: 'Ask the issuer for the key that the proof names: this one is another key or another version.',
    renewKey: 'Get the trusted key file again: this one is damaged or not a key file.',
    goOnline:
      'Let the current status and the root on the chain be asked for: where this was checked, or in a terminal with --server and the address of the issuer’s server, --online for other addresses.',
    tryAgain: 'Check that the address is correct and a server answers there, then try again.',
    rightFile: 'Make sure that this is the right file, unchanged, and not a converted or re-saved copy.',
    newerVersion: 'A newer version of the file has its own proof. Ask its owner for that.',
    askIssuer: 'The issuer has withdrawn this proof. Ask the issuer why.',
    renewArchive: 'Get the proof archive again: this one is not as it was given out.',
    checkPath: 'Check that the file names are correct and that you have permission to read them.',
  },
  {
    addKey: '请加上签发方的可信公钥（命令行用 --trusted-key）。须通过您信任的渠道向签发方取得，切勿取自归档。',
    askForKey: '请向签发方索取证明所指明的密钥：现有的是另一个密钥或另一个版本。',
    renewKey: '请重新取得可信公钥文件：现有的已损坏或不是公钥文件。',
    goOnline:
      '请查询当前状态和链上的根：用 --server 加签发方服务器的地址，其他地址用 --online，或使用启用联网模式的核验服务。',
    tryAgain: '请确认地址正确且有服务响应，然后重试。',
    rightFile: '请确认这是正确的文件，未经改动，也不是转换或另存的副本。',
    newerVersion: '该文件的较新版本有自己的证明，请向其所有者索取。',
    askIssuer: '签发方已撤回此证明，请向签发方询问原因。',
    renewArchive: '请重新取得证明归档：现有的与给出时不同。',
    checkPath: '请确认文件名正确，并且您有权读取这些文件。',
  },
);

type Step = keyof (typeof steps)['en'];

const stepOf: Readonly<Partial<Record<CheckCode, Step>>> = {
  TRUSTED_KEY_MISSING: 'addKey',
  TRUSTED_KEY_OTHER: 'askForKey',
  TRUSTED_KEY_INVALID: 'renewKey',
  TRUSTED_KEY_UNREADABLE: 'checkPath',
  ARCHIVE_UNREADABLE: 'checkPath',
  ORIGINAL_UNREADABLE: 'checkPath',
  OFFLINE: 'goOnline',
  KEY_CONNECTION_FAILED: 'tryAgain',
  STATUS_CONNECTION_FAILED: 'tryAgain',
  CHAIN_CONNECTION_FAILED: 'tryAgain',
  CONTENT_HASH_MISMATCH: 'rightFile',
  STATUS_SUPERSEDED: 'newerVersion',
  STATUS_REVOKED: 'askIssuer',
};

const toStep = ({ id, status, code }: CheckResult): Step | undefined =>
  stepOf[code] ?? (id === 'archive.structure' && status === 'ERROR' ? 'renewArchive' : undefined);

/** Only decisive findings: with a wrong file, going online does not help. */
export function listNextSteps(
  report: Pick<VerificationReport, 'outcome' | 'checks'>,
  language: Language = 'en',
): string[] {
  const found = new Set(decidingChecks(report).flatMap(check => toStep(check) ?? []));
  return [...found].map(step => steps[language][step]);
}
