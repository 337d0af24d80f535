// What leaves a data folder when the settings say so: the settings are those of the new installation, and what they do not use any
// more lies in the folder. Changes nothing.
import { existsSync } from 'node:fs';
import { type Config, embeddedIn } from '../../config/config.ts';
import { nameDatabase } from '../../platform/db/database-options.ts';
import { MoveRefused } from '../../platform/db/move-rows.ts';
import { NothingThere } from '../../platform/installation.ts';
import { readMoveMark, type UnderWay } from '../../platform/move-mark.ts';

type Embedded = ReturnType<typeof embeddedIn>;

export type MovePlan = {
  readonly database: { readonly from: Embedded['db']; readonly to: string } | null;
  readonly objects: { readonly from: Embedded['objects']; readonly to: string } | null;
  /** The try that it goes on with. */
  readonly underWay: UnderWay | null;
};

/** Where the installation is until it has moved. */
export const toSource = (config: Config, { database, objects }: MovePlan): Config => ({
  ...config,
  db: database?.from ?? config.db,
  objects: objects?.from ?? config.objects,
});

export const parts = ['database', 'objects'] as const;
type Part = (typeof parts)[number];

/** Both parts, where the settings name another place for both, unless only one is asked for. */
export function planMove(config: Config, only: Part | undefined): MovePlan {
  const { dataFolder } = config;
  const home = embeddedIn(dataFolder);
  const { underWay, ...moved } = readMoveMark(dataFolder);
  const [database, objects] = [toDatabaseName(config), toBucketName(config)];
  if (underWay !== null) return goOn(home, underWay, { database, objects });
  const isWanted = (part: Part, path: string) => (only ?? part) === part && moved[part] === null && existsSync(path);
  const plan = {
    database: database !== null && isWanted('database', home.db.path) ? { from: home.db, to: database } : null,
    objects: objects !== null && isWanted('objects', home.objects.folder) ? { from: home.objects, to: objects } : null,
    underWay,
  };
  if (plan.database !== null || plan.objects !== null) return plan;
  throw new NothingThere(toNothing(dataFolder, moved));
}

type Gone = Pick<ReturnType<typeof readMoveMark>, Part>;

/** Whoever asks again after a move that came to its end is told so. */
function toNothing(dataFolder: string, moved: Gone): string {
  const told = parts.flatMap(part => {
    const gone = moved[part];
    return gone === null ? [] : [`the ${part} moved to ${gone.to} at ${gone.at}`];
  });
  const nothing = told.length === 0 ? 'nothing' : 'nothing more';
  const before = told.length === 0 ? '' : `: ${told.join(', ')}`;
  const after = '; set DATABASE_URL, the S3 settings or both as the new server will have them';
  return `${nothing} in ${dataFolder} is to be moved${before}${told.length === parts.length ? '' : after}.`;
}

type Names = { readonly database: string | null; readonly objects: string | null };

/** To the same places, or not at all. */
function goOn(home: Embedded, underWay: UnderWay, now: Names): MovePlan {
  for (const part of parts)
    if (underWay[part] !== null && underWay[part] !== now[part])
      throw new MoveRefused(
        `a move of the ${part} to ${underWay[part]} was begun; go on with the settings of then, or end it with "migrate move --give-up".`,
      );
  return {
    database: underWay.database === null ? null : { from: home.db, to: underWay.database },
    objects: underWay.objects === null ? null : { from: home.objects, to: underWay.objects },
    underWay,
  };
}

const toDatabaseName = (config: Config): string | null =>
  config.db.kind === 'sqlite' ? null : nameDatabase(config.db);

const toBucketName = ({ objects }: Config): string | null =>
  objects.kind === 'disk' ? null : `${objects.bucket} at ${objects.endpoints.join(', ')}`;
