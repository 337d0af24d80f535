// Re-checks the embedded ledger from its entries up, or writes tiles that got lost or damaged, beside a running server or without
// one. Exit code 1 when anything does not agree.

import { toTypedKeyText } from '@recordproof/shared/evidence/note-keys.ts';
import { toVerifierKey } from '@recordproof/shared/evidence/signed-note.ts';
import { markStore } from '../compose/bind-installation.ts';
import { openStoreOf } from '../compose/open-store.ts';
import {
  findLog,
  repairTiles,
  toNoteSigner,
  toPostQuantumSigner,
  toPublicBytes,
  verifyLedger,
} from '../features/chain/index.ts';
import { systemClock } from '../platform/clock.ts';
import { NothingThere } from '../platform/installation.ts';
import { UsageError } from './exit.ts';
import { openLocal, parseLocalArgs } from './local.ts';

export async function ledger([action, ...args]: readonly string[]): Promise<number> {
  if (action !== 'verify' && action !== 'restore' && action !== 'keys')
    throw new UsageError('say what to do: ledger verify, ledger restore or ledger keys.');
  const { values, configArgs } = parseLocalArgs(args, [], action === 'restore' ? ['json', 'new'] : ['json']);
  const isNewStore = (values as { new?: boolean }).new === true;
  await using local = await openLocal(configArgs, { isNewStore });
  const { keys, database, config } = local;
  const { db } = database;
  const log = await findLog(db);
  if (log === null) throw new NothingThere('there is no ledger yet; the first start of the server begins it.');
  if (action === 'keys') {
    process.stdout.write(`${toVerifierKey(toNoteSigner(log.origin, keys.ledger))}\n`);
    if (config.ledger.isPostQuantum)
      process.stdout.write(`${toTypedKeyText(toPostQuantumSigner(log.origin, keys.ledger))}\n`);
    return 0;
  }
  await using objects = await openStoreOf(config, keys, () => '', systemClock);
  const key = { name: log.origin, publicKey: toPublicBytes(keys.ledger) };
  if (action === 'restore') {
    const { tiles, written } = await repairTiles({ db, objects, key });
    if (isNewStore && local.installationId !== null) await markStore(objects, local.installationId);
    process.stdout.write(`${log.origin}: ${tiles} tiles are there, ${written} of them were missing or damaged\n`);
    return 0;
  }
  const report = await verifyLedger({ db, objects, key });
  if (values.json) process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
  else {
    const { size, publishedSize, tiles, checkpoints, problems, timeSteps } = report;
    const counts = `${size} entries (${publishedSize} published), ${tiles} tiles, ${checkpoints} checkpoints`;
    process.stdout.write(`${log.origin}: ${counts}, ${problems.length === 0 ? 'all sound' : 'BROKEN'}\n`);
    for (const problem of problems) process.stdout.write(`  ${problem}\n`);
    if (timeSteps.length > 0)
      process.stdout.write('  times go back: a clock was wrong when these were recorded, or a date is false\n');
    for (const step of timeSteps) process.stdout.write(`  ${step}\n`);
  }
  return report.problems.length + report.timeSteps.length === 0 ? 0 : 1;
}
