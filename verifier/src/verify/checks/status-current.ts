import { type Check, isSoundSoFar } from '../case-file.ts';
import { fail, notRun, pass, undecided } from '../report.ts';

const withdrawn = {
  REVOKED: 'The issuer has revoked this proof.',
  SUPERSEDED: 'A newer version of the file has superseded this proof.',
  INVALID: 'The issuer has declared this proof invalid.',
} as const;

/** The issuer, asked now, still stands by the proof. Never answered from the archive or a cache. */
export const statusCurrent: Check = {
  id: 'status.current',
  category: 'STATUS',
  async run(file) {
    const { live } = file.request;
    if (live === undefined) return undecided('OFFLINE', 'The current status was not asked for.');
    if (file.manifest === undefined || !isSoundSoFar(file)) return notRun('local checks');
    const { proofId, signature } = file.manifest;
    const answer = await live.findStatus(proofId).catch(() => undefined);
    if (answer === undefined) return undecided('STATUS_UNAVAILABLE', 'The issuer could not be asked for the status.');
    if (answer.kind !== 'found') return undecided(answer.code, answer.message);
    const current = answer.value;
    if (
      current.proofId !== proofId ||
      current.keyId !== signature.keyId ||
      current.keyVersion !== signature.keyVersion ||
      current.issuedStatus !== file.manifest.issuedStatus
    )
      return fail('STATUS_IDENTITY_MISMATCH', 'The issuer answered about another proof than the signed one.');
    file.currentStatus = current;
    const evidence = { currentStatus: current.status, statusVersion: current.statusVersion };
    if (current.status === 'ACTIVE') return pass('The issuer confirms that the proof is in force.', evidence);
    return fail(`STATUS_${current.status}`, withdrawn[current.status], evidence);
  },
};
