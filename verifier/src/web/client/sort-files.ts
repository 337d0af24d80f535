// Assignment of dropped files to slots by their first bytes. A convenience only: the person can change it, and the
// engine does not rely on it.

import { guessEvidence, readHead } from './sort-evidence.ts';

export type Slot = 'original' | 'proof' | 'trustedKey' | 'evidence';

/** A local ZIP header whose first entry is called manifest.json or proof-archive.zip. */
const proofHead = /^PK[\s\S]{28}(manifest\.json|proof-archive\.zip)/;

async function guess(file: File): Promise<Slot> {
  const text = await readHead(file);
  if (proofHead.test(text)) return 'proof';
  if (guessEvidence(text) !== undefined) return 'evidence';
  return /^\s*\{/.test(text) && text.includes('"publicKeySpki"') ? 'trustedKey' : 'original';
}

/** Each slot but that of evidence takes one file, in order; remaining files are counted. */
export async function sortFiles(files: readonly File[], slots: readonly Slot[]) {
  const sorted = new Map<Slot, File[]>();
  let leftOver = 0;
  for (const file of files) {
    const slot = await guess(file);
    const free = [slot, 'original' as const].find(
      candidate => slots.includes(candidate) && (candidate === 'evidence' || !sorted.has(candidate)),
    );
    if (free === undefined) leftOver += 1;
    else sorted.set(free, [...(sorted.get(free) ?? []), file]);
  }
  return { sorted, leftOver };
}
