import { isSameBytes } from '@recordproof/shared/evidence/digest.ts';
import { readmeBytes } from '@recordproof/shared/evidence/proof-texts.ts';
import type { Check } from '../case-file.ts';
import { fail, notRun, pass } from '../report.ts';

/** The instructions for people are the fixed ones: nobody can slip in others. */
export const policyReadme: Check = {
  id: 'policy.readme',
  category: 'POLICY',
  run({ entries }) {
    if (entries === undefined) return notRun('archive.structure');
    return isSameBytes(entries['README.verify.md'], readmeBytes)
      ? pass('The instructions in the archive are the fixed ones.')
      : fail('README_CHANGED', 'README.verify.md is not the fixed text of this archive version.');
  },
};
