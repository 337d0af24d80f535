import { ArchiveError, proofEntryNames, readProofArchive } from '@recordproof/shared/evidence/proof-archive.ts';
import type { Check } from '../case-file.ts';
import { error, pass } from '../report.ts';

/** The ZIP is byte for byte of the one allowed form. */
export const archiveStructure: Check = {
  id: 'archive.structure',
  category: 'ARCHIVE',
  run(file) {
    if (file.request.archive === 'UNREADABLE')
      return error('ARCHIVE_UNREADABLE', 'The proof archive could not be read.');
    try {
      file.entries = readProofArchive(file.request.archive);
    } catch (problem) {
      if (!(problem instanceof ArchiveError)) throw problem;
      return error(problem.code, `This is not an unchanged proof archive: ${problem.message}.`);
    }
    return pass('The archive has exactly the eight expected entries.', { entries: proofEntryNames.length });
  },
};
