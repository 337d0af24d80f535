// The ledger of a proof, read under one signed checkpoint with the key named in the receipt. Data is untrusted until
// its path to the root has been checked.
import { ledgerIdentity } from '@recordproof/shared/evidence/chain-identity.ts';
import { openCheckpoint } from '@recordproof/shared/evidence/checkpoint.ts';
import { parseUtf8 } from '@recordproof/shared/evidence/digest.ts';
import { type IncludedEntries, readIncludedEntries } from '@recordproof/shared/evidence/log-reader.ts';
import type { Receipt } from '@recordproof/shared/evidence/proof-entries.ts';
import { type NoteKey, parseVerifierKey } from '@recordproof/shared/evidence/signed-note.ts';
import { tileWidth } from '@recordproof/shared/evidence/tlog-tiles.ts';
import type { LookupFailure } from './check-codes.ts';
import type { LiveEvidence, Lookup } from './live-evidence.ts';
import type { VerifierPlatform } from './verifier-platform.ts';

export type SignedLog = {
  /** Of the checkpoint. */
  readonly size: number;
  /** The bundle with the entry at this position, which is less than the size; all of it is under the checkpoint. */
  readBundle(position: number): Promise<IncludedEntries>;
};

type ReadLedger = NonNullable<LiveEvidence['readLedger']>;

/** A failed read of a path. */
class NoAnswer extends Error {
  readonly lookup: { kind: 'unknown' } | { kind: 'unavailable'; reason: LookupFailure };
  constructor(lookup: NoAnswer['lookup']) {
    super('no answer');
    this.lookup = lookup;
  }
}

/** The result of reading the log, or why there is none. */
export async function readingLog<T>(read: () => Promise<T>): Promise<Lookup<T>> {
  try {
    return { kind: 'found', value: await read() };
  } catch (problem) {
    return problem instanceof NoAnswer ? problem.lookup : { kind: 'unavailable', reason: 'ANSWER_MALFORMED' };
  }
}

/** Each path is read once. */
export async function openSignedLog(
  readLedger: ReadLedger,
  receipt: Receipt,
  platform: VerifierPlatform,
): Promise<SignedLog> {
  const cache = new Map<string, Promise<Uint8Array>>();
  const ask = async (path: string): Promise<Uint8Array> => {
    const answer = await readLedger(path);
    if (answer.kind !== 'found') throw new NoAnswer(answer);
    return answer.value;
  };
  const read = (path: string): Promise<Uint8Array> => {
    const reading = cache.get(path) ?? ask(path);
    cache.set(path, reading);
    return reading;
  };
  const key = await findLedgerKey(read, receipt);
  const checkpoint = await openCheckpoint(await read('checkpoint'), key, platform.verifyEd25519);
  const bundles = new Map<number, Promise<IncludedEntries>>();
  return {
    size: checkpoint.size,
    readBundle: position => {
      const index = Math.floor(position / tileWidth);
      const bundle = bundles.get(index) ?? readIncludedEntries(read, checkpoint, position);
      bundles.set(index, bundle);
      return bundle;
    },
  };
}

/** From the receipt; older receipts contain only the identity, which must match the key stated by the ledger. */
async function findLedgerKey(read: (path: string) => Promise<Uint8Array>, { contract }: Receipt): Promise<NoteKey> {
  const key = parseVerifierKey(contract.ledgerKey ?? parseUtf8(await read('key')).trim());
  const { chainId, contractAddress } = ledgerIdentity(key.publicKey);
  if (chainId !== contract.chainId || contractAddress !== contract.contractAddress)
    throw new RangeError(`the key is of the ledger ${contractAddress}, the receipt names ${contract.contractAddress}`);
  return key;
}
