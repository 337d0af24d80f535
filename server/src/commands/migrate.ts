// `migrate`: schema status and the steps of the next start (read-only, exit code 1 if this program may not use the
// database), and the move to other stores.

import { migrations } from '../compose/features.ts';
import { inspectSchema } from '../compose/open-schema.ts';
import { readConfig } from '../config/config.ts';
import { toIso } from '../platform/clock.ts';
import { type SchemaState, statementsOf } from '../platform/db/migrate.ts';
import type { Engine } from '../platform/db/open-db.ts';
import { answer } from './answer.ts';
import { migrateCommands } from './declared/storage.ts';
import { exitCodes, UsageError } from './exit.ts';
import { parseLocalArgs } from './local.ts';

const reports = { status: toStatus, plan: toPlan };

const isAction = (word: string | undefined): word is keyof typeof reports => word === 'status' || word === 'plan';

export async function migrate([action, ...args]: readonly string[]): Promise<number> {
  if (action === 'move') return (await import('./move/move.ts')).move(args);
  if (!isAction(action)) throw new UsageError('missing subcommand: migrate status, migrate plan or migrate move.');
  const { values, configArgs } = parseLocalArgs(args, migrateCommands[action]);
  const { database, state } = await inspectSchema(await readConfig(configArgs), migrations);
  await database.close();
  answer(values.json, reports[action](state, database.kind));
  if (state.rejection !== null && !values.json) process.stderr.write(`${state.rejection}\n`);
  return state.rejection === null ? exitCodes.ok : exitCodes.failed;
}

type Report = { readonly json: object; readonly text: string };

function toStatus({ taken, pending, rejection }: SchemaState): Report {
  const steps = taken.map(({ name, takenAt }) => ({ name, takenAt: toIso(takenAt) }));
  const names = pending.map(({ name }) => name);
  const lines = [
    ...steps.map(step => `${step.takenAt}  ${step.name}`),
    ...names.map(name => `${'pending'.padEnd(24)}  ${name}`),
  ];
  return {
    json: { taken: steps, pending: names, refusal: rejection },
    text: `${lines.map(line => `${line}\n`).join('')}${steps.length} steps taken, ${names.length} pending\n`,
  };
}

function toPlan({ pending, rejection }: SchemaState, engine: Engine): Report {
  const steps = pending.map(step => ({ name: step.name, statements: statementsOf(step, engine) }));
  const text = steps.map(({ name, statements }) => `-- ${name}\n${statements.map(one => `${one};\n`).join('')}`);
  return {
    json: { pending: steps, refusal: rejection },
    text: steps.length === 0 ? 'nothing is pending\n' : text.join('\n'),
  };
}
