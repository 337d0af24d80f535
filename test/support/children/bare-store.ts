// Reference for storing a small file: a bare handler that puts the body into a durable file and one row into a durable
// transaction before it answers. Arguments: a folder.
import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import Database from 'better-sqlite3';

const [folder = ''] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
const db = new Database(join(folder, 'bare.db'));
db.pragma('journal_mode = WAL');
db.pragma('synchronous = FULL');
db.exec('create table stored (id integer primary key, name text not null, size integer not null) strict');
const insert = db.prepare('insert into stored (name, size) values (?, ?)');
const handle = await open(folder);

const server = createServer(async (request, response) => {
  const blocks: Buffer[] = [];
  for await (const block of request) blocks.push(block as Buffer);
  const bytes = Buffer.concat(blocks);
  const path = join(folder, randomUUID());
  await using file = await open(`${path}.part`, 'wx');
  await file.writeFile(bytes);
  await file.sync();
  await rename(`${path}.part`, path);
  await handle.sync();
  const { lastInsertRowid } = insert.run(path, bytes.length);
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ id: String(lastInsertRowid) }));
});
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
