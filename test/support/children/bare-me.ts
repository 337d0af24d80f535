// Baseline servers for the benchmark of GET /api/v1/auth/me: bare node:http, or Fastify with headers and a log by pino.
// Both run the same statement and send the same JSON. Fastify has one route, sends the headers of our answers, and writes a
// log line for each request.
// Arguments: "node" or "fastify", path of the database, user id, tenant id, token id. Prints its address.
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { permissionsOf } from '@recordproof/server/features/accounts/index.ts';
import { prepareFindSession, type SessionRow } from '@recordproof/server/features/auth/queries.ts';
import type { Tables } from '@recordproof/server/platform/db/tables.ts';
import Database from 'better-sqlite3';
import { fastify } from 'fastify';
import {
  type CompiledQuery,
  DummyDriver,
  Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { pino } from 'pino';

const [kind = '', path = '', userId, tenantId, tokenId = ''] = process.argv.slice(2);
const route = '/api/v1/auth/me';

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

function findProfile() {
  const row = find.get(tokenId, Number(userId), Number(tenantId));
  return (
    row && {
      externalId: row.external_id,
      username: row.username,
      email: row.email,
      role: row.role,
      nickname: row.nickname,
      avatar: row.avatar,
      registerTime: new Date(row.registered_at).toISOString(),
      permissions: [...permissions],
    }
  );
}

const toBody = (data: unknown): string => JSON.stringify({ code: 200, message: 'success', data });
const jsonType = 'application/json; charset=utf-8';

async function startNode(): Promise<AddressInfo> {
  const server = createServer((_request, response) => {
    const data = findProfile();
    if (!data) return response.writeHead(401).end();
    const body = toBody(data);
    response.writeHead(200, { 'content-type': jsonType, 'content-length': Buffer.byteLength(body) });
    return response.end(body);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return server.address() as AddressInfo;
}

async function startFastify(): Promise<AddressInfo> {
  const log = pino({ base: null }, pino.destination({ fd: 2, sync: false, minLength: 8 * 1024 }));
  const app = fastify({ logger: false });
  app.get(route, (request, reply) => {
    const data = findProfile();
    if (!data) return reply.code(401).send();
    const startedAt = performance.now();
    const traceId = randomBytes(16).toString('hex');
    reply.headers({
      'x-trace-id': traceId,
      'x-content-type-options': 'nosniff',
      'x-ratelimit-limit': 100,
      'x-ratelimit-remaining': 99,
      'x-ratelimit-reset': Math.ceil(Date.now() / 1000),
      'cache-control': 'no-store',
      'content-type': jsonType,
      vary: 'accept-encoding',
    });
    const { ip, method } = request;
    const user = data.username;
    reply.raw.on('close', () => {
      const ms = Math.round(performance.now() - startedAt);
      log.info(
        { traceId, ip, user, method, path: route, status: 200, ms },
        `${ip} ${user} ${method} ${route} 200 ${ms} ms`,
      );
    });
    return reply.send(toBody(data));
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  return app.server.address() as AddressInfo;
}

const { port } = await (kind === 'fastify' ? startFastify() : startNode());
console.log(`http://127.0.0.1:${port}${route}`);
