// This server as a witness of its peers' ledgers: the state is one row per ledger, locked during the decision and
// committed before the response. Servers that share a database decide one after the other.

import type { TypedNoteSigner } from '@recordproof/shared/evidence/cosignature.ts';
import { parseBase64, toBase64 } from '@recordproof/shared/evidence/digest.ts';
import {
  addCheckpoint,
  maxAddCheckpointBytes,
  type WitnessAnswer,
  type WitnessedLog,
  type WitnessStore,
} from '@recordproof/shared/evidence/witness.ts';
import { verifyMlDsa44 } from '@recordproof/shared/node/ml-dsa.ts';
import type { Db } from '../../platform/db/tables.ts';
import type { PlainAnswer } from '../../platform/http/route.ts';
import type { Server } from '../../platform/server.ts';
import { toErrorText } from '../../platform/telemetry/error-text.ts';
import { verifyEd25519 } from '../chain/index.ts';
import { keepFork, lockWitnessedLog, saveWitnessedLog, type WitnessedRow } from './queries.ts';

type Witnessing = Pick<Server, 'database' | 'clock' | 'log' | 'config'>;

const openDatabaseStore = (db: Db): WitnessStore => ({
  update: (origin, decide) =>
    db.transaction().execute(async tx => {
      const decision = decide(toWitnessed(await lockWitnessedLog(tx, origin)));
      if (decision.kind === 'REJECTED') return decision;
      // Also written if unchanged: the commit makes durable what a crashed server may have left in a cache.
      const { size, root, note, timeSeconds } = decision.next;
      await saveWitnessedLog(tx, origin, { size, root: toBase64(root), note, time_seconds: timeSeconds });
      return decision;
    }),
});

const toWitnessed = ({ size, root, note, time_seconds }: WitnessedRow): WitnessedLog | undefined =>
  note === '' ? undefined : { size, root: parseBase64(root), note, timeSeconds: time_seconds };

const toAnswer = (status: number, body: string, type = 'text/plain; charset=utf-8'): PlainAnswer => ({
  status,
  headers: { 'content-type': type, 'cache-control': 'no-store' },
  body,
});

/** Responses follow docs/spec/vouchers.md, section 6. */
export async function answerPeer(
  server: Witnessing,
  signer: TypedNoteSigner,
  body: AsyncIterable<Buffer>,
): Promise<PlainAnswer> {
  const bytes = await readBody(body);
  if (bytes === null) return toAnswer(413, `a request has at most ${maxAddCheckpointBytes} bytes\n`);
  const answer = await decideOn(server, signer, bytes);
  if (answer.kind === 'COSIGNED') return toAnswer(200, answer.lines);
  if (answer.size === undefined) return toAnswer(answer.status, `${answer.message}\n`);
  return toAnswer(answer.status, `${answer.size}\n`, 'text/x.tlog.size');
}

async function readBody(body: AsyncIterable<Buffer>): Promise<Uint8Array | null> {
  const blocks: Buffer[] = [];
  let size = 0;
  for await (const block of body) {
    size += block.length;
    if (size > maxAddCheckpointBytes) return null;
    blocks.push(block);
  }
  return Buffer.concat(blocks);
}

async function decideOn(
  { database, clock, log, config }: Witnessing,
  signer: TypedNoteSigner,
  body: Uint8Array,
): Promise<WitnessAnswer> {
  const { peers } = config.ledger;
  const forks: (readonly [first: string, second: string])[] = [];
  const answer = await addCheckpoint(body, {
    logs: new Map(peers.flatMap(({ keys }) => keys.map(key => [key.name, [key]] as const))),
    signers: [signer],
    verifiers: { ed25519: verifyEd25519, mlDsa44: verifyMlDsa44 },
    store: openDatabaseStore(database.db),
    nowSeconds: () => Math.floor(clock.now() / 1000),
    onFork: (first, second) => void forks.push([first, second]),
  });
  for (const [first, second] of forks) {
    const origin = first.split('\n')[0] ?? '';
    log.error({ origin }, 'a peer signed two different trees of the same size; both checkpoints are kept as evidence');
    await keepFork(database.db, origin, first, second).catch(error =>
      log.error({ origin, error: toErrorText(error) }, 'failed to store the checkpoints of a forked ledger'),
    );
  }
  return answer;
}
