// Writing the eight entries of a proof as RP-SIGNED-PROOF-ZIP-V2 (docs/spec/proof-archive.md section 2). Equal entries
// give equal bytes, permanently; the result is returned only if the strict reader accepts it.
import { buffer } from 'node:stream/consumers';
import { type ProofEntries, proofEntryNames, readProofArchive } from '@recordproof/shared/evidence/proof-archive.ts';
import { ZipFile } from 'yazl';

// Local time, created anew for each archive: DOS dates have no time zone, and yazl reads the local fields.
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
