// The ledger entry of a batch: read with its inclusion under a signed checkpoint, whose key is the one that the receipt
// names. Everything that is read is a stranger's until the path to the root has been checked.
import { ledgerIdentity } from '@recordproof/shared/evidence/chain-identity.ts';
import { openCheckpoint } from '@recordproof/shared/evidence/checkpoint.ts';
import { parseUtf8 } from '@recordproof/shared/evidence/digest.ts';
import {
  clockSkewMs,
  entryTransactionHash,
  parseLedgerEntry,
  recordedAtOf,
} from '@recordproof/shared/evidence/ledger-entry.ts';
import { type IncludedEntries, readIncludedEntries } from '@recordproof/shared/evidence/log-reader.ts';
import type { Receipt } from '@recordproof/shared/evidence/proof-entries.ts';
import { type NoteKey, parseVerifierKey } from '@recordproof/shared/evidence/signed-note.ts';
import type { LookupFailure } from './check-codes.ts';
import type { LiveEvidence, Lookup } from './live-evidence.ts';
import type { VerifierPlatform } from './verifier-platform.ts';

export type LedgerRecord =
  | {
      readonly kind: 'recorded';
      readonly recordedAt: string;
      /** Of the checkpoint that covers the entry. */
      readonly ledgerSize: number;
      /** False when an entry beside it states a time that cannot be true together with its own. */
      readonly isInOrder: boolean;
    }
  /** The ledger that its key signed does not hold this batch where the receipt says. */
  | { readonly kind: 'contradicted'; readonly ledgerSize: number };

type ReadLedger = NonNullable<LiveEvidence['readLedger']>;

/** A path that was not answered. */
class NoAnswer extends Error {
  readonly lookup: { kind: 'unknown' } | { kind: 'unavailable'; reason: LookupFailure };
  constructor(lookup: NoAnswer['lookup']) {
    super('no answer');
    this.lookup = lookup;
  }
}

export async function findLedgerRecord(
  readLedger: ReadLedger,
  receipt: Receipt,
  platform: VerifierPlatform,
): Promise<Lookup<LedgerRecord>> {
  const read = async (path: string): Promise<Uint8Array> => {
    const answer = await readLedger(path);
    if (answer.kind !== 'found') throw new NoAnswer(answer);
    return answer.value;
  };
  try {
    const key = await findLedgerKey(read, receipt);
    const checkpoint = await openCheckpoint(await read('checkpoint'), key, platform.verifyEd25519);
    const { size } = checkpoint;
    const { blockNumber: position } = receipt;
    if (position >= size) return { kind: 'found', value: { kind: 'contradicted', ledgerSize: size } };
    const included = await readIncludedEntries(read, checkpoint, position, platform.sha256);
    return { kind: 'found', value: toRecord(included, receipt, size, platform) };
  } catch (problem) {
    return problem instanceof NoAnswer ? problem.lookup : { kind: 'unavailable', reason: 'ANSWER_MALFORMED' };
  }
}

/** From the receipt; older receipts hold only the identity, which must then be that of the key that the ledger names. */
async function findLedgerKey(read: (path: string) => Promise<Uint8Array>, { contract }: Receipt): Promise<NoteKey> {
  const key = parseVerifierKey(contract.ledgerKey ?? parseUtf8(await read('key')).trim());
  const { chainId, contractAddress } = ledgerIdentity(key.publicKey);
  if (chainId !== contract.chainId || contractAddress !== contract.contractAddress)
    throw new RangeError('the key of another ledger');
  return key;
}

function toRecord(
  { first, entries }: IncludedEntries,
  receipt: Receipt,
  ledgerSize: number,
  { sha256 }: VerifierPlatform,
): LedgerRecord {
  const at = receipt.blockNumber - first;
  const entry = findBatchRoot(entries[at], receipt, bytes => entryTransactionHash(bytes, sha256));
  if (entry === undefined) return { kind: 'contradicted', ledgerSize };
  const { recordedAt } = entry;
  return { kind: 'recorded', recordedAt, ledgerSize, isInOrder: isInOrder(entries.map(recordedAtOf), at) };
}

function findBatchRoot(bytes: Uint8Array | undefined, receipt: Receipt, toTransaction: (bytes: Uint8Array) => string) {
  if (bytes === undefined) return undefined;
  const { batchTransactionHash = toTransaction(bytes), batchNo, batchChainRoot } = receipt;
  if (toTransaction(bytes) !== batchTransactionHash) return undefined;
  try {
    const entry = parseLedgerEntry(bytes);
    const isHers = entry.kind === 'BATCH_ROOT' && entry.batchNo === batchNo && entry.merkleRoot === batchChainRoot;
    return isHers ? entry : undefined;
  } catch {
    return undefined;
  }
}

/** Nothing before it is later, nothing behind it earlier, but for the clocks of several servers. */
function isInOrder(times: readonly (number | undefined)[], at: number): boolean {
  const own = times[at];
  if (own === undefined) return false;
  return times.every((time, index) => time === undefined || (index < at ? time - own : own - time) <= clockSkewMs);
}
