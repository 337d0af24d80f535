// The embedded ledger as a chain for batch roots: one entry per batch, linked to the one before like every other.
import { createHash } from 'node:crypto';
import { canonicalJson } from '@recordproof/shared/evidence/canonical-json.ts';
import { ledgerIdentity } from '@recordproof/shared/evidence/chain-identity.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Db } from '../../platform/db/tables.ts';
import type { BatchRoot, ChainPort, RecordedRoot } from './chain-port.ts';
import { appendEntry, lockHead } from './record-file.ts';

const kind = 'batch';

export type EmbeddedChainPorts = {
  readonly db: Db;
  readonly clock: Clock;
  /** What the ledger's name is derived from. */
  readonly fingerprint: string;
};

export function openEmbeddedChain({ db, clock, fingerprint }: EmbeddedChainPorts): ChainPort {
  const identity = ledgerIdentity(createHash('sha256').update(`recordproof ledger\n${fingerprint}`).digest());
  const findRoot = (from: Db, batchNo: string) => findBatch(from, batchNo);
  return {
    identity: async () => identity,
    findRoot: batchNo => findRoot(db, batchNo),
    submitRoot: root =>
      db.transaction().execute(async tx => {
        const head = await lockHead(tx);
        const known = await findRoot(tx, root.batchNo);
        if (known !== null) return known;
        const payload = toPayload(root);
        return { ...root, ...(await appendEntry(tx, head, { kind, subject: root.batchNo, payload }, clock.now())) };
      }),
  };
}

const toPayload = ({ batchNo, merkleRoot }: BatchRoot): string =>
  canonicalJson({ schema: 'recordproof.batch-root.v1', batchNo, merkleRoot });

async function findBatch(db: Db, batchNo: string): Promise<RecordedRoot | null> {
  const row = await db
    .selectFrom('ledger_entry')
    .select(['position', 'entry_hash', 'payload'])
    .where('kind', '=', kind)
    .where('subject', '=', batchNo)
    .executeTakeFirst();
  if (!row) return null;
  const { merkleRoot } = JSON.parse(row.payload) as BatchRoot;
  return { batchNo, merkleRoot, transactionHash: `0x${row.entry_hash}`, blockNumber: row.position };
}
