// `database check`: checks the file of the embedded database for damage. Exit code 1 if it is damaged.

import { existsSync } from 'node:fs';
import { examineInstallation } from '../compose/bind-installation.ts';
import { readConfig } from '../config/config.ts';
import { findDamage } from '../platform/db/sqlite-file.ts';
import { NotFoundError } from '../platform/installation.ts';
import type { Input } from './declared/local.ts';
import { answer, toLines, UsageError } from './outcome.ts';

export async function check({ values, configArgs }: Input): Promise<number> {
  const config = await readConfig(configArgs);
  const { db, dataFolder } = config;
  if (db.kind !== 'sqlite')
    throw new UsageError('this command checks SQLite only; for PostgreSQL use pg_amcheck and data checksums.');
  if (!existsSync(db.path)) await examineInstallation(config, null, {});
  if (!existsSync(db.path))
    throw new NotFoundError(`there is no database in ${dataFolder}; name its folder with --data.`);
  const damage = findDamage(db.path);
  const text = damage.length === 0 ? 'sound\n' : toLines(damage);
  return answer(values.json, { json: { path: db.path, damage }, text }, damage.length === 0);
}
