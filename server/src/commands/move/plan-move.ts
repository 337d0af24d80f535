// Plan of a move: the settings are those of the new installation, and the parts they no longer use are in the data
// folder. Read-only.
import { existsSync } from 'node:fs';
import { nothingIn } from '../../compose/open-schema.ts';
import { embeddedIn } from '../../config/backing-services.ts';
import type { Config } from '../../config/config.ts';
import { nameDatabase } from '../../platform/db/database-options.ts';
import { MoveError } from '../../platform/db/move-rows.ts';
import { NotFoundError } from '../../platform/installation.ts';
import { readMoveMark, type UnderWay } from '../../platform/move-mark.ts';

type Embedded = ReturnType<typeof embeddedIn>;

export type MovePlan = {
  readonly database: { readonly from: Embedded['db']; readonly to: string } | null;
  readonly objects: { readonly from: Embedded['objects']; readonly to: string } | null;
  /** The unfinished move that this one resumes. */
  readonly underWay: UnderWay | null;
};

/** The configuration of the installation before the move. */
export const toSource = (config: Config, { database, objects }: MovePlan): Config => ({
  ...config,
  db: database?.from ?? config.db,
  objects: objects?.from ?? config.objects,
});

export const parts = ['database', 'objects'] as const;
type Part = (typeof parts)[number];

/** Each part that the settings place elsewhere, or only the requested one. */
export function planMove(config: Config, only: Part | undefined): MovePlan {
  const { dataFolder } = config;
  const home = embeddedIn(dataFolder);
  const { underWay, ...moved } = readMoveMark(dataFolder);
  const [database, objects] = [toDatabaseName(config), toBucketName(config)];
  if (!existsSync(dataFolder)) throw nothingIn(dataFolder);
  if (underWay !== null) return goOn(home, underWay, { database, objects });
  const isWanted = (part: Part, path: string) => (only ?? part) === part && moved[part] === null && existsSync(path);
  const plan = {
    database: database !== null && isWanted('database', home.db.path) ? { from: home.db, to: database } : null,
    objects: objects !== null && isWanted('objects', home.objects.folder) ? { from: home.objects, to: objects } : null,
    underWay,
  };
  if (plan.database !== null || plan.objects !== null) return plan;
  throw new NotFoundError(toNothing(dataFolder, moved));
}

type Gone = Pick<ReturnType<typeof readMoveMark>, Part>;

/** The message when nothing is left to move; it names earlier moves. */
function toNothing(dataFolder: string, moved: Gone): string {
  const lines = parts.flatMap(part => {
    const gone = moved[part];
    return gone === null ? [] : [`the ${part} moved to ${gone.to} at ${gone.at}`];
  });
  const nothing = lines.length === 0 ? 'nothing' : 'nothing more';
  const before = lines.length === 0 ? '' : `: ${lines.join(', ')}`;
  const after = '; set DATABASE_URL, the S3 settings or both as the new server will have them';
  return `${nothing} in ${dataFolder} is to be moved${before}${lines.length === parts.length ? '' : after}.`;
}

type Names = { readonly database: string | null; readonly objects: string | null };

/** An unfinished move is resumed only with the same targets. */
function goOn(home: Embedded, underWay: UnderWay, now: Names): MovePlan {
  for (const part of parts)
    if (underWay[part] !== null && underWay[part] !== now[part])
      throw new MoveError(
        `a move of the ${part} to ${underWay[part]} is unfinished; continue with the settings it was started with, or cancel it with "migrate move --give-up".`,
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
