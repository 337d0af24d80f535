// Process inside the network namespace of the test: terminates HTTPS and forwards to the sockets outside; then it runs
// the program, and ends with it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request as send } from 'node:http';
import { createServer } from 'node:https';
import { childInput } from '../child.ts';
import type { ProgramLine } from '../installed.ts';

export type InsideInput = {
  readonly key: string;
  readonly certificate: string;
  readonly authority: string;
  readonly address: string;
  /** Host name → the socket of the server behind it. */
  readonly doors: Readonly<Record<string, string>>;
  readonly program: ProgramLine;
};

const { key, certificate, authority, address, doors, program } = childInput<InsideInput>();
const front = createServer({ key: readFileSync(key), cert: readFileSync(certificate) }, (request, response) => {
  const { method, url, headers } = request;
  const socketPath = doors[headers.host ?? ''];
  if (socketPath === undefined) return void response.writeHead(421).end();
  const onward = send({ socketPath, method, path: url, headers }, answer => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  onward.on('error', () => response.destroy());
  request.pipe(onward);
}).listen(443, address);
await once(front, 'listening');

const env = { ...process.env, NODE_EXTRA_CA_CERTS: authority };
const child = spawn(program.file, [...program.args], { env, stdio: 'inherit' });
const [code] = (await once(child, 'exit')) as [number | null];
process.exit(code ?? 1);
