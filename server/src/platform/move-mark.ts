// The mark of a move in a data folder: during the move it blocks all work on the installation, afterwards all work on
// the parts left behind.
import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { syncFolder } from '@recordproof/shared/node/durable-file.ts';
import { z } from 'zod';
import { toIso } from './clock.ts';
import { errnoOf, replaceFile } from './durable-files.ts';
import { StartError } from './installation.ts';

/** Human-readable, without secrets. */
const location = z.string().max(4000);
const moved = z.strictObject({ to: location, at: z.iso.datetime() });
const moveMark = z.strictObject({
  format: z.literal('recordproof-move'),
  formatVersion: z.literal(1),
  underWay: z
    .strictObject({
      id: z.uuid(),
      startedAt: z.iso.datetime(),
      database: location.nullable(),
      objects: location.nullable(),
      /** Everything has arrived and is verified; only the final mark is missing. */
      isProven: z.boolean(),
    })
    .nullable(),
  /** Parts that have left the folder. */
  database: moved.nullable(),
  objects: moved.nullable(),
});
type MoveMark = z.infer<typeof moveMark>;
export type UnderWay = NonNullable<MoveMark['underWay']>;

const noMove: MoveMark = {
  format: 'recordproof-move',
  formatVersion: 1,
  underWay: null,
  database: null,
  objects: null,
};

const pathOf = (folder: string): string => join(folder, 'moved.json');

export function readMoveMark(folder: string): MoveMark {
  const path = pathOf(folder);
  try {
    return moveMark.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return noMove;
    if (error instanceof SyntaxError || error instanceof z.ZodError)
      throw new StartError(`the file ${path}, which records where the installation was moved to, cannot be read.`);
    throw error;
  }
}

/** Durable when it resolves. */
const writeMoveMark = (folder: string, mark: MoveMark): Promise<void> =>
  replaceFile(pathOf(folder), Buffer.from(`${JSON.stringify(mark, null, 2)}\n`), 0o600);

export const markMoving = (folder: string, underWay: UnderWay): Promise<void> =>
  writeMoveMark(folder, { ...readMoveMark(folder), underWay });

export async function markMoved(folder: string, { database, objects }: UnderWay, now: number): Promise<void> {
  const at = toIso(now);
  const mark = readMoveMark(folder);
  await writeMoveMark(folder, {
    ...mark,
    underWay: null,
    database: database === null ? mark.database : { to: database, at },
    objects: objects === null ? mark.objects : { to: objects, at },
  });
}

/** Cancels an unfinished move; completed moves stay recorded. */
export async function forgetMove(folder: string): Promise<void> {
  const mark = { ...readMoveMark(folder), underWay: null };
  if (mark.database !== null || mark.objects !== null) return writeMoveMark(folder, mark);
  await rm(pathOf(folder), { force: true });
  await syncFolder(folder);
}

type InstallationLocations = {
  readonly dataFolder: string;
  readonly db: { readonly kind: string };
  readonly objects: { readonly kind: string };
};

/** Rejects an installation during its move, and the parts that it left behind. */
export function rejectMoved({ dataFolder, db, objects }: InstallationLocations): void {
  const mark = readMoveMark(dataFolder);
  const path = pathOf(dataFolder);
  if (mark.underWay !== null)
    throw new StartError(
      `the installation in ${dataFolder} is being moved; run "recordproof-server migrate move" to continue, or "migrate move --give-up" to cancel.`,
    );
  const left = [
    { moved: mark.database, isOld: db.kind === 'sqlite', what: 'database', settings: 'DATABASE_URL' },
    { moved: mark.objects, isOld: objects.kind === 'disk', what: 'objects', settings: 'the S3 settings' },
  ];
  for (const { moved: to, isOld, what, settings } of left)
    if (to !== null && isOld)
      throw new StartError(
        `the ${what} of ${dataFolder} moved to ${to.to} at ${to.at}; set ${settings}. To go back to what was then, and lose everything since, remove ${path}.`,
      );
}
