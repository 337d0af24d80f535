// `migrate status` and `migrate plan`: the schema and the steps of the next start. Read-only. Exit code 1 if this program
// may not use the database. `migrate move` (SQLite to PostgreSQL, disk to S3) is in move/.

import { migrations } from '../compose/features.ts';
import { inspectSchema } from '../compose/open-schema.ts';
import { readConfig } from '../config/config.ts';
import { toIso } from '../platform/clock.ts';
import { type SchemaState, statementsOf } from '../platform/db/migrate.ts';
import type { Engine } from '../platform/db/open-db.ts';
import type { Input } from './declared/local.ts';
import { type Answer, answer, toLines } from './outcome.ts';

const reports = { status: toStatus, plan: toPlan };

export async function migrate(action: keyof typeof reports, { values, configArgs }: Input): Promise<number> {
  const { database, state } = await inspectSchema(await readConfig(configArgs), migrations);
  await database.close();
  const code = answer(values.json, reports[action](state, database.kind), state.rejection === null);
  if (state.rejection !== null && !values.json) process.stderr.write(`${state.rejection}\n`);
  return code;
}

function toStatus({ taken, pending, rejection }: SchemaState): Answer {
  const steps = taken.map(({ name, takenAt }) => ({ name, takenAt: toIso(takenAt) }));
  const names = pending.map(({ name }) => name);
  const lines = [
    ...steps.map(step => `${step.takenAt}  ${step.name}`),
    ...names.map(name => `${'pending'.padEnd(24)}  ${name}`),
  ];
  return {
    json: { taken: steps, pending: names, refusal: rejection },
    text: `${toLines(lines)}${steps.length} steps taken, ${names.length} pending\n`,
  };
}

function toPlan({ pending, rejection }: SchemaState, engine: Engine): Answer {
  const steps = pending.map(step => ({ name: step.name, statements: statementsOf(step, engine) }));
  const text = steps.map(({ name, statements }) => `-- ${name}\n${statements.map(one => `${one};\n`).join('')}`);
  return {
    json: { pending: steps, refusal: rejection },
    text: steps.length === 0 ? 'nothing is pending\n' : text.join('\n'),
  };
}
