// A lost or mistyped database is rejected by every command that opens an installation; the whole matrix is in
// test/faults.
import { afterAll, describe } from 'vitest';
import { stopPostgres } from '../support/postgres.ts';
import { describeWrongDatabases } from '../support/wrong-database-matrix.ts';

afterAll(stopPostgres);

/** One for each way in which a command opens an installation. */
const ways = ['admin create', 'admin password', 'keys list', 'upgrade --check', 'doctor'];

const isAsked = (command: readonly string[]): boolean => ways.includes(command.slice(0, 2).join(' '));

describeWrongDatabases({ engines: ['sqlite'], stores: ['disk'], isAsked });
describe('the same', { tags: 'long' }, () =>
  describeWrongDatabases({ engines: ['postgres'], stores: ['disk'], isAsked }),
);
