import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { getHealth } from '@recordproof/shared/api/monitor.ts';
import { listFiles } from '@recordproof/shared/api/files.ts';
import { type TypedNoteSigner, signCosignatureLine } from '@recordproof/shared/evidence/cosignature.ts';
import { hashLeaf } from '@recordproof/shared/evidence/merkle.ts';
import { parseTypedKey, toTypedKeyText } from '@recordproof/shared/evidence/note-keys.ts';
import { parseSignedNote } from '@recordproof/shared/evidence/signed-note.ts';
import { isProofOf, parseTlogProof } from '@recordproof/shared/evidence/tlog-proof.ts';
import { addCheckpoint, type WitnessedLog } from '@recordproof/shared/evidence/witness.ts';
import { expect, test } from 'vitest';
import { type Person, startApp, type TestApp } from '../../../../test/support/app.ts';
import { dropDatabaseOf } from '../../../../test/support/app-database.ts';
import { noteVerifiers, testSigner } from '../../../../test/support/note-keys.ts';
import { exportProof, laptop, openProof } from '../../../../test/support/real-proofs.ts';
import { storeProxied } from '../../../../test/support/uploads.ts';
import { memoryLog } from '../../../../test/support/witness-requests.ts';
import { makeLedgerFolder, openRealClock } from '../../../../test/support/witnesses.ts';

type Answering = (request: IncomingMessage, response: ServerResponse) => Promise<void> | void;

async function serve(answer: Answering) {
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

/** A witness of the log in this process; `now` is the time that it states. */
function honest(signer: TypedNoteSigner, logKey: string, now = () => Math.floor(Date.now() / 1000)): Answering {
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

const settingOf = (url: string, signer: TypedNoteSigner): string => `${url} ${toTypedKeyText(signer)}`;

async function startWitnessed(ledger: Awaited<ReturnType<typeof makeLedgerFolder>>, env: Record<string, string>) {
  const clock = openRealClock();
  const app = await startApp({ clock, folder: ledger.folder, env: { ...laptop, ...ledger.env, ...env } });
  return {
    ...app,
    [Symbol.asyncDispose]: async () => {
      await app[Symbol.asyncDispose]();
      await dropDatabaseOf(ledger.folder);
    },
  };
}

/** The id of the proof of a new file. */
async function prove(app: TestApp, person: Person): Promise<string> {
  const { fileId } = await storeProxied(person, randomBytes(2000));
  await app.drain();
  return openProof(await exportProof(person, fileId)).manifest.proofId;
}

const fetchTlogProof = async (person: Person, proofId: string) => {
  const response = await person.fetch(`/api/v1/public/proofs/${proofId}/tlog-proof`);
  return { status: response.status, retryAfter: response.headers.get('retry-after'), bytes: Buffer.from(await response.arrayBuffer()) };
};

const namesIn = (note: Uint8Array): string[] => parseSignedNote(note).signatures.map(({ name }) => name);

const readVouchers = async (app: TestApp) => (await app.anonymousHealth()).components?.vouchers;
