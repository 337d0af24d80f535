import type { ProofManifest } from '@recordproof/shared/evidence/proof-entries.ts';
import { type Check, valueIn } from '../case-file.ts';
import { toLookupCode } from '../check-codes.ts';
import type { IssuerStatus } from '../live-evidence.ts';
import { found, notRun, pass } from '../report.ts';

const withdrawn = {
  REVOKED: 'The issuer has revoked this proof.',
  SUPERSEDED: 'A newer version of the file has superseded this proof.',
  INVALID: 'The issuer has declared this proof invalid.',
} as const;

/** The issuer, asked now, still stands by the proof. Never answered from the archive or a cache. */
export const statusCurrent: Check<'status.current'> = {
  id: 'status.current',
  judge(file, { status: answer }) {
    if (answer.kind === 'offline') return found('OFFLINE', 'The current status was not asked for.');
    if (answer.kind === 'held-back') return notRun(answer.waitsFor);
    if (answer.kind !== 'found')
      return found(toLookupCode('STATUS', answer), 'The issuer did not tell the current status.');
    const manifest = valueIn(file.manifest);
    if (manifest === undefined) return notRun('json.manifest.json');
    const current = answer.value;
    if (current.about !== undefined && !isAboutThis(current.about, manifest))
      return found('STATUS_IDENTITY_MISMATCH', 'The issuer answered about another proof than the signed one.');
    const evidence = { currentStatus: current.status, ...versionOf(current) };
    if (current.status === 'ACTIVE') return pass('The issuer confirms that the proof is in force.', evidence);
    return found(`STATUS_${current.status}`, withdrawn[current.status], evidence);
  },
};

const versionOf = ({ about }: IssuerStatus) => (about === undefined ? {} : { statusVersion: about.statusVersion });

const isAboutThis = (about: NonNullable<IssuerStatus['about']>, { proofId, signature, issuedStatus }: ProofManifest) =>
  about.proofId === proofId &&
  about.keyId === signature.keyId &&
  about.keyVersion === signature.keyVersion &&
  about.issuedStatus === issuedStatus;
