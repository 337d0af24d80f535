// The whole wrong-database matrix: each database, each store, each wrong place, each command.
import { afterAll, expect, test } from 'vitest';
import { commandNames } from '../../server/src/commands/run.ts';
import { whyNoCeph } from '../support/ceph.ts';
import { stopPostgres } from '../support/postgres.ts';
import { stopS3 } from '../support/s3-settings.ts';
import { listCommands, withoutInstallation } from '../support/server-commands.ts';
import { describeWrongDatabases } from '../support/wrong-database-matrix.ts';

afterAll(stopPostgres);
afterAll(stopS3);

test('every command of the server is in the matrix', async () => {
  const asked = new Set((await listCommands('/tmp')).map(([name]) => name));
  expect(commandNames.filter(name => !asked.has(name))).toEqual(withoutInstallation);
});

describeWrongDatabases({
  engines: ['sqlite', 'postgres'],
  stores: whyNoCeph() === null ? ['disk', 'S3'] : ['disk'],
  isAsked: () => true,
});
