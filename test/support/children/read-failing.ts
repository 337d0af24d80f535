// Reads the stored data of a test on a disk that the test lets fail, and prints the answers that a client would get.
import { openDatabase } from '../../../server/src/platform/db/open-db.ts';
import { toApiError } from '../../../server/src/platform/http/answers.ts';
import { toBytes } from '../bytes.ts';
import { openShared, type SharedOptions } from '../object-stores.ts';

const [what = '', where = '', name = ''] = process.argv.slice(2);

async function read(): Promise<unknown> {
  if (what === 'object') {
    await using store = await openShared(JSON.parse(where) as SharedOptions);
    return toBytes((await store.get(name)).body);
  }
  const database = await openDatabase({ kind: 'sqlite', path: where });
  const rows = database.db.selectFrom(name as 'file').selectAll();
  return rows.execute().finally(() => database.close());
}

const answer = await read().then(
  () => 'read',
  (error: unknown) => {
    const { status, code, message } = toApiError(error);
    return { status, code, message };
  },
);
process.stdout.write(JSON.stringify(answer));
