// The next version of the server as far as its schema goes: it adds the one step that NEXT_STEP names.

import { run } from '../../../server/src/commands/run.ts';
import { migrations } from '../../../server/src/compose/features.ts';
import type { Migration } from '../../../server/src/platform/db/migrate.ts';

const statement = process.env.NEXT_STEP ?? '';
(migrations as Migration[]).push({ name: 'V99.0.0 of tomorrow', statements: () => [statement] });
process.exitCode = await run(process.argv.slice(2));
