import { isSameBytes } from '@recordproof/shared/evidence/digest.ts';
import { verificationPolicyBytes } from '@recordproof/shared/evidence/proof-texts.ts';
import type { Check } from '../case-file.ts';
import { fail, notRun, pass } from '../report.ts';

/** An archive cannot bring its own rules. */
export const policyContract: Check = {
  id: 'policy.contract',
  category: 'POLICY',
  run({ entries }) {
    if (entries === undefined) return notRun('archive.structure');
    return isSameBytes(entries['verification-policy.json'], verificationPolicyBytes)
      ? pass('The verification policy is the fixed one of this archive version.')
      : fail('POLICY_CHANGED', 'verification-policy.json is not the fixed text of this archive version.');
  },
};
