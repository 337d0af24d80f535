// `ledger`: verifies the embedded ledger from its entries, rewrites lost or damaged tiles, or prints its keys, with or
// without a running server. Exit code 1 if anything differs.

import { toTypedKeyText } from '@recordproof/shared/evidence/note-keys.ts';
import { toVerifierKey } from '@recordproof/shared/evidence/signed-note.ts';
import { markStore } from '../compose/bind-installation.ts';
import type { Schema } from '../compose/open-schema.ts';
import { openStoreOf } from '../compose/open-store.ts';
import type { Config } from '../config/config.ts';
import {
  findLog,
  repairTiles,
  toNoteSigner,
  toPostQuantumSigner,
  toPublicBytes,
  verifyLedger,
} from '../features/chain/index.ts';
import { NotFoundError } from '../platform/installation.ts';
import type { ObjectStore } from '../platform/objects/object-store.ts';
import type { Input } from './declared/local.ts';
import { openLocal, openToChange } from './local.ts';
import { answer, linesIf, toLines } from './outcome.ts';

export async function ledger(action: 'verify' | 'restore' | 'keys', { values, configArgs }: Input): Promise<number> {
  const isNewStore = 'new' in values && values.new === true;
  await using local = await (action === 'restore' ? openToChange : openLocal)(configArgs, { isNewStore });
  const { keys, database, config } = local;
  const { db } = database;
  const log = await findLog(db);
  if (log === null && isNewStore) return restoreEmpty(local, values.json === true);
  if (log === null) throw new NotFoundError('there is no ledger yet; the first start of the server begins it.');
  if (action === 'keys') {
    const ofLedger = [toVerifierKey(toNoteSigner(log.origin, keys.ledger))];
    if (config.ledger.isPostQuantum) ofLedger.push(toTypedKeyText(toPostQuantumSigner(log.origin, keys.ledger)));
    return answer(values.json, { json: { keys: ofLedger }, text: toLines(ofLedger) });
  }
  await using objects = await openStoreOf(config, keys);
  const key = { name: log.origin, publicKey: toPublicBytes(keys.ledger) };
  if (action === 'restore') {
    const { tiles, written } = await repairTiles({ db, objects, key });
    if (isNewStore) await takeStore(local, objects);
    return answer(values.json, {
      json: { origin: log.origin, tiles, written },
      text: `${log.origin}: ${tiles} tiles are there, ${written} of them were missing or damaged\n`,
    });
  }
  const report = await verifyLedger({ db, objects, key });
  const isSound = report.problems.length + report.timeSteps.length === 0;
  return answer(values.json, { json: report, text: toText(log.origin, report) }, isSound);
}

/** Marks the store of the settings as this installation's. */
const takeStore = async ({ installationId }: Schema, objects: ObjectStore): Promise<void> =>
  installationId === null ? undefined : markStore(objects, installationId);

async function restoreEmpty(local: Schema & { readonly config: Config }, isJson: boolean): Promise<number> {
  await using objects = await openStoreOf(local.config, local.keys);
  await takeStore(local, objects);
  return answer(isJson, {
    json: { origin: null, tiles: 0, written: 0 },
    text: 'there is no ledger yet; the store is ready for it\n',
  });
}

type Report = Awaited<ReturnType<typeof verifyLedger>>;

function toText(origin: string, { size, publishedSize, tiles, checkpoints, problems, timeSteps }: Report): string {
  const counts = `${size} entries (${publishedSize} published), ${tiles} tiles, ${checkpoints} checkpoints`;
  const lines = [
    `${origin}: ${counts}, ${problems.length === 0 ? 'all sound' : 'BROKEN'}`,
    ...problems.map(problem => `  ${problem}`),
    ...linesIf(timeSteps.length > 0, '  times go back: a clock was wrong when these were recorded, or a date is false'),
    ...timeSteps.map(step => `  ${step}`),
  ];
  return toLines(lines);
}
