// Writer for a fetched proof: the archive and its vouchers as separate files, or as one file. An existing voucher with
// other bytes is kept and reported; vouchers for one checkpoint are written together or not at all.
import { lstat, readFile } from 'node:fs/promises';
import { isSameBytes } from '@recordproof/shared/evidence/digest.ts';
import type { VoucherName } from '@recordproof/shared/evidence/evidence-archive.ts';
import { type Evidence, writeEvidenceArchive } from '@recordproof/shared/evidence/evidence-archive.ts';
import { printable, tint, writeMessage } from '../platform/output.ts';
import { writeWholeFile } from '../platform/whole-file.ts';
import { type ArchiveForm, voucherBeside } from './archive-names.ts';

type Writing = { readonly path: string; readonly form: ArchiveForm; readonly force: boolean };

/** Resolves to the paths of the vouchers that exist afterwards. */
export async function writeEvidence(evidence: Evidence, { path, form, force }: Writing): Promise<string[]> {
  if (form === 'evidence') {
    await writeWholeFile(path, writeEvidenceArchive(evidence), force);
    return [];
  }
  await writeWholeFile(path, evidence.archive, force);
  return writeVouchers(path, evidence, force);
}

/** Beside an existing archive. */
export const writeVouchers = async (archive: string, evidence: Evidence, force: boolean): Promise<string[]> => [
  ...(await writeSet(archive, evidence, ['tlogProof', 'stamp'], force)),
  ...(await writeSet(archive, evidence, ['ots'], force)),
];

async function writeSet(
  archive: string,
  evidence: Evidence,
  names: readonly VoucherName[],
  force: boolean,
): Promise<string[]> {
  const states = await Promise.all(
    names.map(async name => {
      const path = voucherBeside(archive, name);
      const bytes = evidence[name];
      return { path, bytes, found: await compare(path, bytes) };
    }),
  );
  const isNew = states.some(({ bytes }) => bytes !== undefined);
  // A replaced voucher belongs to one set; a remaining one would be of another checkpoint.
  const inTheWay = states.find(({ found, bytes }) => found === 'other' && (!force || bytes === undefined));
  if (!isNew) return [];
  if (inTheWay !== undefined) {
    const how = inTheWay.bytes === undefined ? 'move it away' : 'replace it with --force';
    writeMessage(`${tint('yellow', 'vouchers not written:')} ${printable(inTheWay.path)} exists; ${how}`);
    return [];
  }
  for (const { path, bytes, found } of states)
    if (bytes !== undefined && found !== 'same') await writeWholeFile(path, bytes, force);
  return states.flatMap(({ path, bytes }) => (bytes === undefined ? [] : [path]));
}

async function compare(path: string, bytes: Uint8Array | undefined): Promise<'absent' | 'same' | 'other'> {
  const found = await lstat(path).catch(() => undefined);
  if (found === undefined) return 'absent';
  if (bytes === undefined || !found.isFile() || found.size !== bytes.length) return 'other';
  return isSameBytes(await readFile(path), bytes) ? 'same' : 'other';
}
