// The checks `policy.contract` and `policy.readme`: the two fixed texts, which an archive cannot replace by its own.
import { isSameBytes } from '@recordproof/shared/evidence/digest.ts';
import { readmeBytes, verificationPolicyBytes } from '@recordproof/shared/evidence/proof-texts.ts';
import { type Check, valueIn } from '../case-file.ts';
import { found, notRun, pass } from '../report.ts';

/** The policy is the fixed one: an archive cannot supply its own rules. */
export const policyContract: Check<'policy.contract'> = {
  id: 'policy.contract',
  judge(file) {
    const entries = valueIn(file.archive);
    if (entries === undefined) return notRun('archive.structure');
    return isSameBytes(entries['verification-policy.json'], verificationPolicyBytes)
      ? pass('The verification policy is the fixed one of this archive version.')
      : found('POLICY_CHANGED', 'verification-policy.json is not the fixed text of this archive version.');
  },
};

/** The instructions are the fixed ones: an archive cannot supply others. */
export const policyReadme: Check<'policy.readme'> = {
  id: 'policy.readme',
  judge(file) {
    const entries = valueIn(file.archive);
    if (entries === undefined) return notRun('archive.structure');
    return isSameBytes(entries['README.verify.md'], readmeBytes)
      ? pass('The instructions in the archive are the fixed ones.')
      : found('README_CHANGED', 'README.verify.md is not the fixed text of this archive version.');
  },
};
