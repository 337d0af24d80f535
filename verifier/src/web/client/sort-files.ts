// Detection of files by their first bytes: the slot of a dropped file, and the kind of a voucher or of trust material. A
// convenience only: the person can change the slot, and the engine does not rely on it.
import type { ExistenceInput } from '../../existence/existence-input.ts';
import type { Unreadable } from '../../verify/case-file.ts';

type Voucher = 'tlogProof' | 'stamp' | 'ots';
type Trust = 'policy' | 'roots' | 'headers';
type Evidence = Pick<ExistenceInput, Voucher | Trust>;

const headBytes = 4096;

export const readHead = async (file: Blob): Promise<string> =>
  new TextDecoder('latin1').decode(await file.slice(0, headBytes).arrayBuffer());

/** A local ZIP header whose first entry is the proof of an evidence archive. */
export const evidenceHead = /^PK[\s\S]{28}proof-archive\.zip/;

/** Returns undefined for other files. */
function guessEvidence(head: string): Voucher | Trust | undefined {
  if (head.startsWith('c2sp.org/tlog-proof@')) return 'tlogProof';
  if (head.startsWith('\0OpenTimestamps\0')) return 'ots';
  if (/^0[\x80-\x84]/.test(head) && head.includes('\x30\x03\x02\x01')) return 'stamp';
  if (head.includes('-----BEGIN CERTIFICATE-----')) return 'roots';
  if (/^(#[^\n]*\n|\s*\n)*(log|witness|group|quorum)[ \t]/.test(head)) return 'policy';
  return /^\d+ [0-9a-f]{160}\n/.test(head) || head.startsWith('\x01\0\0\0'.padEnd(36, '\0')) ? 'headers' : undefined;
}

const maxBytes: Readonly<Record<Voucher | Trust, number>> = {
  tlogProof: 2 ** 20,
  stamp: 2 ** 18,
  ots: 2 ** 18,
  policy: 2 ** 20,
  roots: 2 ** 22,
  headers: 2 ** 28,
};

type Read = (file: File, maxBytes: number) => Promise<Uint8Array | Unreadable>;

/** Of two files of one kind the later one is used. */
export async function readSorted(files: readonly File[], read: Read): Promise<Evidence> {
  const found: Partial<Record<Voucher | Trust, Uint8Array | Unreadable>> = {};
  for (const file of files) {
    const kind = guessEvidence(await readHead(file));
    if (kind !== undefined) found[kind] = await read(file, maxBytes[kind]);
  }
  return found;
}

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
