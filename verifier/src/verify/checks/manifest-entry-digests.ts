// The check `manifest.entry-digests`.
import { digestOf } from '@recordproof/shared/evidence/digest.ts';
import { listedEntryNames } from '@recordproof/shared/evidence/proof-builder.ts';
import { type Check, valueIn } from '../case-file.ts';
import { found, notRun, pass } from '../report.ts';

/** The entries in the archive are those listed in the manifest. */
export const manifestEntryDigests: Check<'manifest.entry-digests'> = {
  id: 'manifest.entry-digests',
  judge(file) {
    const [manifest, entries] = [valueIn(file.manifest), valueIn(file.archive)];
    if (manifest === undefined || entries === undefined) return notRun('json.manifest.json');
    for (const name of listedEntryNames) {
      const record = manifest.entries.find(entry => entry.name === name);
      if (record === undefined) return found('ENTRY_NOT_LISTED', `The manifest does not list ${name}.`);
      if (record.size !== entries[name].length)
        return found('ENTRY_SIZE_MISMATCH', `${name} has another size than the manifest says.`, {
          expected: record.size,
          actual: entries[name].length,
        });
      const actual = digestOf(entries[name]);
      if (actual !== record.sha256)
        return found('ENTRY_DIGEST_MISMATCH', `${name} is not the entry that the manifest lists.`, {
          expected: record.sha256,
          actual,
        });
    }
    return pass('All entries have the digests and sizes that the manifest lists.', {
      entries: listedEntryNames.length,
    });
  },
};
