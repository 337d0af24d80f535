// The check `archive.structure`.
import { proofEntryNames } from '@recordproof/shared/evidence/proof-archive.ts';
import type { Check } from '../case-file.ts';
import { pass } from '../report.ts';

/** The ZIP has exactly the allowed form. */
export const archiveStructure: Check<'archive.structure'> = {
  id: 'archive.structure',
  judge: ({ archive }) =>
    'problem' in archive
      ? archive.problem
      : pass('The archive has exactly the eight expected entries.', { entries: proofEntryNames.length }),
};
