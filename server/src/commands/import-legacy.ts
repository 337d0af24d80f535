// `import-legacy`: imports records of an older system from a JSON Lines file, with or without a running server. Exit
// code 1 if a line was rejected.

import { open } from 'node:fs/promises';
import { findTenant } from '../features/accounts/index.ts';
import { defaultTenantName } from '../features/auth/index.ts';
import { type ImportSummary, importLegacy } from '../features/backfill/index.ts';
import { systemClock } from '../platform/clock.ts';
import { errnoOf } from '../platform/durable-files.ts';
import { openLog } from '../platform/telemetry/log.ts';
import { parseLocalArgs, tenant as tenantOption } from './declared/local.ts';
import { openToChange } from './local.ts';
import { answer, CommandRejected, UsageError } from './outcome.ts';

export async function importRecords([path, ...args]: readonly string[]): Promise<number> {
  if (path === undefined || path.startsWith('-'))
    throw new UsageError('the file is missing: import-legacy FILE.ndjson; options follow it.');
  await using file = await open(path).catch(error => rejectMissing(path, error));
  if ((await file.stat()).isDirectory()) throw new UsageError(`${path} is a folder; name a file of JSON lines.`);
  const { values, configArgs } = parseLocalArgs(args, { tenant: tenantOption });
  await using local = await openToChange(configArgs);
  const { database, config } = local;
  const name = values.tenant ?? defaultTenantName;
  const tenant = await findTenant(database.db, name);
  if (!tenant) throw new CommandRejected(`there is no tenant "${name}"; "admin tenants" lists them.`);
  const log = await openLog({ level: 'warn', pretty: false });
  const summary = await importLegacy(
    { database, config, log, clock: systemClock },
    {
      tenantId: tenant.id,
      source: file.createReadStream({ autoClose: false }),
      reject: (line, sentence) => void process.stderr.write(`line ${line}: ${sentence}\n`),
    },
  );
  return answer(values.json, { json: summary, text: toText(summary) }, summary.refused === 0);
}

function rejectMissing(path: string, error: unknown): never {
  if (errnoOf(error) === 'ENOENT') throw new UsageError(`there is no file ${path}.`);
  throw error;
}

const toText = ({ lines, imported, known, refused: rejected }: ImportSummary): string =>
  `${lines} lines: ${imported} imported, ${known} were there already, ${rejected} refused\n`;
