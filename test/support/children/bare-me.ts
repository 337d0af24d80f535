// Reference for GET /api/v1/auth/me: a bare handler with the same statement and the same JSON.
// Arguments: path of the database, user id, tenant id, token id. Prints its address.
import { createServer } from 'node:http';
import { permissionsOf } from '@recordproof/server/features/accounts/index.ts';
import { prepareFindSession, type SessionRow } from '@recordproof/server/features/auth/queries.ts';
import type { Tables } from '@recordproof/server/platform/db/tables.ts';
import Database from 'better-sqlite3';
import {
  type CompiledQuery,
  DummyDriver,
  Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';

const [path = '', userId, tenantId, tokenId = ''] = process.argv.slice(2);

/** The SQL of the server's own query, captured without a database. */
function findStatement(): string {
  let text = '';
  const db = new Kysely<Tables>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: database => new SqliteIntrospector(database),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  });
  const prepareFirst = ({ sql }: CompiledQuery) => {
    text = sql;
    return () => undefined;
  };
  prepareFindSession({ db, prepareFirst })(1, 1, '');
  return text;
}

const find = new Database(path, { readonly: true }).prepare<unknown[], SessionRow>(findStatement());
const permissions = permissionsOf('admin', true); // accounts named in the settings are also administrators of the installation

const server = createServer((_request, response) => {
  const row = find.get(tokenId, Number(userId), Number(tenantId));
  if (!row) return response.writeHead(401).end();
  const data = {
    externalId: row.external_id,
    username: row.username,
    email: row.email,
    role: row.role,
    nickname: row.nickname,
    avatar: row.avatar,
    registerTime: new Date(row.registered_at).toISOString(),
    permissions: [...permissions],
  };
  const body = JSON.stringify({ code: 200, message: 'success', data });
  response.writeHead(200, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
  });
  return response.end(body);
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  console.log(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/api/v1/auth/me`);
});
