// An original of any size and its proof, as files; and the memory of a process.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { proofEntryNames } from '@recordproof/shared/evidence/proof-archive.ts';
import { proofOf } from './proofs.ts';
import { writeZip } from './zip.ts';

export const mebibyte = 2 ** 20;

/** The key that signed it. */
export const trustedKeyPath = fileURLToPath(new URL('../vectors/common/issuer.json', import.meta.url));

export async function writeProof(folder: string, size: number): Promise<{ original: string; proof: string }> {
  const content = Buffer.alloc(size, 'a line that repeats until the file is large enough\n');
  const [original, proof] = [join(folder, `${size}.bin`), join(folder, `${size}.zip`)];
  writeFileSync(original, content);
  const entries = await proofOf({ content, chunkSize: Math.min(size, 80 * mebibyte) });
  writeFileSync(proof, writeZip(proofEntryNames.map(name => ({ name, data: entries[name] }))));
  return { original, proof };
}

/** In MiB: the current memory (`VmRSS`), or the peak (`VmHWM`); 0 when it has ended. */
export function residentOf(pid: number, field: 'VmRSS' | 'VmHWM' = 'VmRSS'): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}
