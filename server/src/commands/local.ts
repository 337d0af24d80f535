// The context of commands that work on the database directly, with or without a running server. Commands that read or
// change an installation never create one.
import { migrations } from '../compose/features.ts';
import { openInstallation, openSchema, type Schema } from '../compose/open-schema.ts';
import { type Config, readConfig } from '../config/config.ts';
import { systemClock } from '../platform/clock.ts';
import { rejectUnfinished } from '../platform/installation.ts';
import type { Intent } from '../platform/installation-rules.ts';
import { rejectMoved } from '../platform/move-mark.ts';

type Local = AsyncDisposable & Schema & { readonly config: Config };

async function toLocal(config: Config, schema: Schema): Promise<Local> {
  await using opening = new AsyncDisposableStack();
  opening.use(schema.database);
  rejectMoved(config); // a move that has begun meanwhile did not see this connection
  const opened = opening.move();
  return { config, ...schema, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

/** Throws if the installation is unfinished or has moved. */
export async function readUsable(configArgs: readonly string[]): Promise<Config> {
  const config = await readConfig(configArgs);
  rejectUnfinished(config.dataFolder);
  rejectMoved(config);
  return config;
}

/** Opens an existing installation for reading; creates nothing. */
export async function openLocal(configArgs: readonly string[], intent: Intent = {}): Promise<Local> {
  const config = await readUsable(configArgs);
  return toLocal(config, await openInstallation(config, migrations, intent));
}

/** Opens an existing installation for changes. Rejected on a copy while the original's server runs. */
export const openToChange = (configArgs: readonly string[], intent: Intent = {}): Promise<Local> =>
  openLocal(configArgs, { ...intent, isWriter: true });

/** For commands that may run before the first start of a server. `isNew`: begin a new installation. */
export async function openOrMakeLocal(configArgs: readonly string[], isNew: boolean | undefined): Promise<Local> {
  const config = await readUsable(configArgs);
  return toLocal(
    config,
    await openSchema(config, migrations, systemClock.now(), { isNew: isNew === true, isWriter: true }),
  );
}
