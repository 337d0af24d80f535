// Owns writing the eight entries of a proof as RP-SIGNED-PROOF-ZIP-V2 (docs/spec/proof-archive.md section 2).
// The same entries give the same bytes for ever; the strict reader must accept them, or nothing is returned.
import { buffer } from 'node:stream/consumers';
import { type ProofEntries, proofEntryNames, readProofArchive } from '@recordproof/shared/evidence/proof-archive.ts';
import { ZipFile } from 'yazl';

// Local time, made anew for each archive: the DOS date has no zone, and yazl reads the local fields.
const fixedDay = () => new Date(1980, 0, 2, 0, 0, 0);

export async function writeProofArchive(entries: ProofEntries): Promise<Uint8Array> {
  const zip = new ZipFile();
  for (const name of proofEntryNames) {
    zip.addBuffer(Buffer.from(entries[name]), name, {
      compress: false,
      mode: 0o100644,
      mtime: fixedDay(),
      forceDosTimestamp: true,
    });
  }
  zip.end();
  const archive = await buffer(zip.outputStream);
  readProofArchive(archive);
  return archive;
}
