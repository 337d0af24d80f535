// The check `policy.readme`.
import { isSameBytes } from '@recordproof/shared/evidence/digest.ts';
import { readmeBytes } from '@recordproof/shared/evidence/proof-texts.ts';
import { type Check, valueIn } from '../case-file.ts';
import { found, notRun, pass } from '../report.ts';

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
