// External services of a server, at the edge of the network: time-stamping authorities by the openssl program,
// OpenTimestamps calendars, and faulty ones.
import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import type { TypedNoteSigner } from '@recordproof/shared/evidence/cosignature.ts';
import { sha256, toHex } from '@recordproof/shared/evidence/digest.ts';
import { parseTypedKey } from '@recordproof/shared/evidence/note-keys.ts';
import { type OtsAttestation, otsPath, writeCalendarAnswer } from '@recordproof/shared/evidence/ots.ts';
import { append, prepend } from '@recordproof/shared/evidence/ots-operations.ts';
import { addCheckpoint, type WitnessedLog } from '@recordproof/shared/evidence/witness.ts';
import { type MovableClock, startApp } from './app.ts';
import { dropDatabaseOf } from './app-database.ts';
import { noteVerifiers } from './note-keys.ts';
import { headerLine } from './ots-files.ts';
import { laptop } from './real-proofs.ts';
import type { Authority } from './time-stamp-authority.ts';
import { type makeLedgerFolder, openRealClock } from './witnesses.ts';

export type Answering = (request: IncomingMessage, response: ServerResponse) => Promise<void> | void;

export async function serve(answer: Answering) {
  const server = createServer((request, response) => {
    void (async () => answer(request, response))();
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}

/** A server with the keys that the services were told, at the real time. */
export async function startWitnessed(
  ledger: Awaited<ReturnType<typeof makeLedgerFolder>>,
  env: Record<string, string>,
  clock: MovableClock = openRealClock(),
) {
  const app = await startApp({ clock, folder: ledger.folder, env: { ...laptop, ...ledger.env, ...env } });
  return {
    ...app,
    [Symbol.asyncDispose]: async () => {
      await app[Symbol.asyncDispose]();
      await dropDatabaseOf(ledger.folder);
    },
  };
}

/** A witness of the log in this process; `now` is the time that it states. */
export function honestWitness(
  signer: TypedNoteSigner,
  logKey: string,
  now = () => Math.floor(Date.now() / 1000),
): Answering {
  const key = parseTypedKey(logKey);
  let latest: WitnessedLog | undefined;
  return async (request, response) => {
    const answer = await addCheckpoint(await buffer(request), {
      logs: new Map([[key.name, [key]]]),
      signers: [signer],
      verifiers: noteVerifiers,
      nowSeconds: now,
      store: {
        update: async (_origin, decide) => {
          const decision = decide(latest);
          if (decision.kind === 'COSIGN') latest = decision.next;
          return decision;
        },
      },
    });
    if (answer.kind === 'COSIGNED') return void response.end(answer.lines);
    response.writeHead(answer.status, answer.size === undefined ? {} : { 'content-type': 'text/x.tlog.size' });
    response.end(answer.size === undefined ? answer.message : `${answer.size}\n`);
  };
}

function* endless() {
  for (;;) yield Buffer.alloc(65_536, 'x');
}

export const answerEndlessly: Answering = (_request, response) =>
  pipeline(Readable.from(endless()), response).catch(() => undefined);

/** `answer` gets the request in DER. */
export const stamping =
  (answer: (request: Buffer) => Uint8Array): Answering =>
  async (request, response) => {
    const body = await buffer(request);
    if (request.method !== 'POST' || request.headers['content-type'] !== 'application/timestamp-query')
      return void response.writeHead(415).end();
    response.writeHead(200, { 'content-type': 'application/timestamp-reply' }).end(answer(body));
  };

export const honestAuthority = (authority: Authority): Answering => stamping(request => authority.answer(request));

export type TestCalendar = {
  readonly answering: Answering;
  /** Puts all commitments so far into a block; returns a line of a file of headers. */
  mine(height: number, timeSeconds: number): string;
  readonly requests: string[];
};

/**
 * As the public calendars do: a digest is salted and hashed into a commitment, which later leads to the Merkle root of
 * a block. Here the block holds the chain of all commitments, so that one root covers them.
 */
export function openCalendar(uri: string): TestCalendar {
  const commitments = new Map<string, Uint8Array>();
  const attested = new Map<string, Buffer>();
  const requests: string[] = [];
  const salt = () => new Uint8Array(randomBytes(16));
  const end = (attestation: OtsAttestation) => (message: Uint8Array) => ({
    message,
    attestations: [attestation],
    branches: [],
  });
  const take = (digest: Uint8Array): Uint8Array => {
    const steps = [
      append(salt()),
      { kind: 'sha256' } as const,
      prepend(salt().subarray(0, 4)),
      append(salt().subarray(0, 8)),
    ];
    return writeCalendarAnswer(
      otsPath(digest, steps, message => {
        commitments.set(toHex(message), message);
        return end({ kind: 'PENDING', uri })(message);
      }),
    );
  };
  return {
    requests,
    answering: async (request, response) => {
      const { method, url = '' } = request;
      requests.push(`${method} ${url}`);
      if (method === 'POST' && url === '/digest') return void response.end(take(await buffer(request)));
      const answer = attested.get(url.replace('/timestamp/', ''));
      if (answer !== undefined) return void response.end(answer);
      response.writeHead(404).end('Pending confirmation in Bitcoin blockchain');
    },
    mine(height, timeSeconds) {
      const all = [...commitments.values()];
      const leaves = all.map(message => sha256(message));
      const before = (at: number): Uint8Array =>
        leaves.slice(0, at).reduce((sum, leaf) => sha256(Buffer.concat([sum, leaf])), new Uint8Array(32));
      for (const [at, message] of all.entries()) {
        const steps = [
          { kind: 'sha256' } as const,
          prepend(before(at)),
          { kind: 'sha256' } as const,
          ...leaves.slice(at + 1).flatMap(leaf => [append(leaf), { kind: 'sha256' } as const]),
        ];
        attested.set(
          toHex(message),
          Buffer.from(writeCalendarAnswer(otsPath(message, steps, end({ kind: 'BITCOIN', height })))),
        );
      }
      return headerLine(height, before(leaves.length), timeSeconds);
    },
  };
}
