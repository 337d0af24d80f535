// Benchmark of restores: from an intact backup of many small files, and from one with damaged pieces (--keep-going).
// Every intact file must come back, every lost one must be named.
//   node test/bench/damaged-backup.ts [files] [rounds]
import { mkdtempSync, rmSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLocal } from '../../server/src/commands/local.ts';
import type { Piece } from '../../server/src/platform/backup/pieces.ts';
import { findPieces, passphrase } from '../support/backups.ts';
import { canMeasure, inTurns, printFigures } from '../support/bench-figures.ts';
import { startBenchServer } from '../support/bench-server.ts';
import { pattern } from '../support/bytes.ts';
import { runServerCommand } from '../support/run-server-command.ts';
import { sendMany } from '../support/uploads.ts';

const files = Number(process.argv[2] ?? 10_000);
const rounds = Number(process.argv[3] ?? 3);
const filesACall = 500;
if (!canMeasure('restores', 'setpriv')) process.exit();
const damages = [1, 50] as const;

const folder = mkdtempSync(join(tmpdir(), 'recordproof-bench-'));
const data = join(folder, 'data');
const backups = join(folder, 'backups');
const env = {
  RECORDPROOF_BACKUP_PASSPHRASE: passphrase,
  RECORDPROOF_BACKUP_TO: backups,
  RECORDPROOF_RESERVE_BYTES: '0',
};

async function run(code: number, ...args: string[]): Promise<string> {
  const ended = await runServerCommand(args, env).ended;
  if (ended.code !== code) throw new Error(`${args.join(' ')} ended with ${ended.code}: ${ended.err}`);
  return ended.out;
}

async function store(): Promise<void> {
  const { server, alice } = await startBenchServer(data);
  await using _server = server;
  for (let stored = 0; stored < files; stored += filesACall) {
    const count = Math.min(filesACall, files - stored);
    const batch = await Promise.all(
      Array.from({ length: count }, async (_, nth) => ({
        bytes: await pattern(1000 + ((stored + nth) % 9000), stored + nth),
        name: `${stored + nth}.bin`,
        path: `Folder ${Math.floor((stored + nth) / 100)}`,
      })),
    );
    const { status, message } = await sendMany(alice, batch);
    if (status !== 200) throw new Error(message);
  }
}

/** Objects of that many files, evenly spread: their pieces in the backup, and the names of the files. */
async function choose(count: number): Promise<Map<string, string>> {
  await using local = await openLocal(['--data', data]);
  const { db } = local.database;
  const names: string[] = [];
  const objects: Piece[] = [];
  const all = await db.selectFrom('file').select(['id', 'file_name']).orderBy('id').execute();
  for (let nth = 0; nth < count; nth += 1) {
    const file = all[Math.floor((nth * all.length) / count)];
    const held = await db
      .selectFrom('object_hold')
      .innerJoin('stored_object', 'stored_object.id', 'object_hold.object_id')
      .select(['sha256', 'size'])
      .where('holder', '=', `file:${file?.id}`)
      .executeTakeFirstOrThrow();
    objects.push(held);
    names.push(file?.file_name ?? '');
  }
  return new Map((await findPieces(backups, objects)).map((path, nth) => [path, names[nth] ?? '']));
}

async function alter(path: string): Promise<void> {
  const bytes = await readFile(path);
  bytes[100] = (bytes[100] ?? 0) ^ 1;
  await writeFile(path, bytes);
}

type Report = { objects: number; losses: { files: { name: string }[] } };

async function restore(damaged: ReadonlyMap<string, string>): Promise<number> {
  const target = join(folder, 'restored');
  for (const path of damaged.keys()) await alter(path);
  const startedAt = performance.now();
  const code = damaged.size === 0 ? 0 : 2;
  const out = await run(code, 'restore', '--keep-going', '--json', '--data', target);
  const seconds = (performance.now() - startedAt) / 1000;
  for (const path of damaged.keys()) await alter(path);
  rmSync(target, { recursive: true });
  const { objects, losses } = JSON.parse(out) as Report;
  const named = losses.files.map(({ name }) => name).sort();
  if (objects !== files - damaged.size) throw new Error(`${objects} objects were restored`);
  if (named.join() !== [...damaged.values()].sort().join()) throw new Error(`these were named: ${named.join()}`);
  return seconds;
}

try {
  await store();
  await run(0, 'backup', '--data', data);
  const clean = new Map<string, string>();
  const [one, fifty] = [await choose(damages[0]), await choose(damages[1])];
  const times = await inTurns(rounds, {
    clean: () => restore(clean),
    one: () => restore(one),
    fifty: () => restore(fifty),
  });
  const references = { 'whole backup': times.clean };
  printFigures(`restore of ${files} files`, [
    { name: '1 damaged piece', unit: 's', samples: times.one, references },
    { name: '50 damaged pieces', unit: 's', samples: times.fifty, references },
  ]);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
