// Tells which of several dropped files is which, by their first bytes. A guess for convenience: the person sees it and
// can change it, and the engine trusts nothing of it.

export type Slot = 'original' | 'proof' | 'trustedKey';

const headBytes = 4096;
/** A local header of a ZIP whose first entry is called manifest.json. */
const proofHead = /^PK[\s\S]{28}manifest\.json/;

async function guess(file: File): Promise<Slot> {
  const head = await file.slice(0, headBytes).arrayBuffer();
  const text = new TextDecoder('latin1').decode(head);
  if (proofHead.test(text)) return 'proof';
  return /^\s*\{/.test(text) && text.includes('"publicKeySpki"') ? 'trustedKey' : 'original';
}

/** Each place is filled at most once, in the order of the files; what is left over is counted. */
export async function sortFiles(files: readonly File[]): Promise<{ sorted: Map<Slot, File>; leftOver: number }> {
  const sorted = new Map<Slot, File>();
  let leftOver = 0;
  for (const file of files) {
    const slot = await guess(file);
    const free = [slot, 'original' as const].find(candidate => !sorted.has(candidate));
    if (free === undefined) leftOver += 1;
    else sorted.set(free, file);
  }
  return { sorted, leftOver };
}
