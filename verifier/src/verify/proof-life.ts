// The ledger entries named by the issuer for a proof's status: its issue, its newest status, and the period of its key.
// Inclusion proves that they exist; only an audit of all entries shows that there is no later one.
import { type LedgerEntry, parseLedgerEntry, recordedAtOf } from '@recordproof/shared/evidence/ledger-entry.ts';
import type { LedgerEntryPositions } from './live-evidence.ts';
import type { SignedLog } from './signed-log.ts';

export type NamedEntry = {
  readonly position: number;
  /** Undefined for an entry of an unknown kind. */
  readonly entry: LedgerEntry | undefined;
};

export type ProofLife = {
  readonly ledgerSize: number;
  /** When the newest entry under the checkpoint was recorded: later events are not covered. */
  readonly recordedUntil: string | undefined;
} & { readonly [Name in keyof LedgerEntryPositions]: NamedEntry | 'BEHIND_CHECKPOINT' | null };

export async function readProofLife(log: SignedLog, positions: LedgerEntryPositions): Promise<ProofLife> {
  const read = async (position: number | null): Promise<NamedEntry | 'BEHIND_CHECKPOINT' | null> => {
    if (position === null) return null;
    if (position >= log.size) return 'BEHIND_CHECKPOINT';
    const bytes = await readEntry(log, position);
    return { position, entry: parseEntry(bytes) };
  };
  const { issued, status, keyInUse, keyRetired } = positions;
  const last = log.size === 0 ? undefined : recordedAtOf(await readEntry(log, log.size - 1));
  return {
    ledgerSize: log.size,
    recordedUntil: last === undefined ? undefined : new Date(last).toISOString(),
    issued: await read(issued),
    status: await read(status),
    keyInUse: await read(keyInUse),
    keyRetired: await read(keyRetired),
  };
}

async function readEntry(log: SignedLog, position: number): Promise<Uint8Array> {
  const { first, entries } = await log.readBundle(position);
  return entries[position - first] ?? new Uint8Array(0);
}

function parseEntry(bytes: Uint8Array): LedgerEntry | undefined {
  try {
    return parseLedgerEntry(bytes);
  } catch {
    return undefined;
  }
}
