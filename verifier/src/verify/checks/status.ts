// The check `status.current`.
import { digestOf } from '@recordproof/shared/evidence/digest.ts';
import type { ProofManifest } from '@recordproof/shared/evidence/proof-entries.ts';
import { type CaseFile, type Check, valueIn } from '../case-file.ts';
import { toLookupCode } from '../check-codes.ts';
import type { IssuerStatus } from '../live-evidence.ts';
import { found, notRun, pass } from '../report.ts';
import { findLifeProblem } from './ledger-status.ts';

const withdrawn = {
  REVOKED: 'The issuer has revoked this proof.',
  SUPERSEDED: 'A newer version of the file has superseded this proof.',
  INVALID: 'The issuer has declared this proof invalid.',
} as const;

/** The issuer, queried now, confirms the proof. Never answered from the archive or a cache. */
export const statusCurrent: Check<'status.current'> = {
  id: 'status.current',
  judge(file, { status: answer, life }) {
    if (answer.kind === 'offline') return found('OFFLINE', 'The current status was not asked for.');
    if (answer.kind === 'held-back') return notRun(answer.waitsFor);
    if (answer.kind !== 'found')
      return found(toLookupCode('STATUS', answer), 'The issuer did not tell the current status.');
    const manifest = valueIn(file.manifest);
    if (manifest === undefined) return notRun('json.manifest.json');
    const current = answer.value;
    const { about } = current;
    const wrong = about && findDifference(about, file, manifest);
    if (wrong !== undefined)
      return found('STATUS_IDENTITY_MISMATCH', `The issuer has issued another proof than this one: ${wrong} differs.`, {
        member: wrong,
      });
    const evidence = { currentStatus: current.status, ...versionOf(current) };
    if (current.status !== 'ACTIVE') return found(`STATUS_${current.status}`, withdrawn[current.status], evidence);
    const missing = boundMembers.find(member => typeof about?.[member] !== 'string');
    if (missing !== undefined)
      return found(
        'STATUS_INCOMPLETE',
        `The issuer does not say ${missing}, so nothing shows that this is the proof that it issued: ask a server of this release or later.`,
        { ...evidence, member: missing },
      );
    const problem = about && findLifeProblem(file, about, manifest, { life });
    if (problem !== undefined) return { ...problem, evidence: { ...evidence, ...problem.evidence } };
    if (life.kind !== 'found')
      return pass('The issuer confirms that it issued exactly this proof, and that it is in force.', evidence);
    const { ledgerSize, recordedUntil = 'an unknown time' } = life.value;
    return pass(
      `The issuer confirms that it issued exactly this proof, and that it is in force as of ${recordedUntil}; its ledger of ${ledgerSize} entries says the same. Whether an entry was kept from you shows only who reads all of them.`,
      { ...evidence, ledgerSize, recordedUntil },
    );
  },
};

const versionOf = ({ about }: IssuerStatus) => (about === undefined ? {} : { statusVersion: about.statusVersion });

/** Bind the answer to the signed bytes; servers of earlier releases do not send them. */
const boundMembers = ['manifestSha256', 'contentHash'] as const;

type About = NonNullable<IssuerStatus['about']>;

/** The first member of the answer that differs from the archive. */
function findDifference(about: About, file: CaseFile, manifest: ProofManifest): keyof About | undefined {
  const { proofId, signature, issuedStatus, issuedAt } = manifest;
  const bytes = valueIn(file.archive)?.['manifest.json'];
  const own: Partial<About> = {
    proofId,
    keyId: signature.keyId,
    keyVersion: signature.keyVersion,
    issuedStatus,
    issuedAt: Date.parse(issuedAt),
    ...(bytes && { manifestSha256: digestOf(bytes) }),
    contentHash: valueIn(file.chunks)?.contentHash ?? null,
  };
  const members = Object.keys(own) as (keyof About)[];
  return members.find(member => (about[member] ?? undefined) !== undefined && about[member] !== own[member]);
}
