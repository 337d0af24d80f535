// A ledger of a dishonest operator: any entries, any history, signed with the true key.
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { canonicalBytes } from '@recordproof/shared/evidence/canonical-json.ts';
import { signCheckpoint } from '@recordproof/shared/evidence/checkpoint.ts';
import { signCosignatureLine, type TypedNoteSigner } from '@recordproof/shared/evidence/cosignature.ts';
import { parseUtf8, toUtf8 } from '@recordproof/shared/evidence/digest.ts';
import { ledgerEntrySchema } from '@recordproof/shared/evidence/ledger-entry.ts';
import { buildMerkleTree, hashLeaf } from '@recordproof/shared/evidence/merkle.ts';
import { consistencyRanges } from '@recordproof/shared/evidence/merkle-ranges.ts';
import { addSignatureLines, parseSignedNote, toVerifierKey } from '@recordproof/shared/evidence/signed-note.ts';
import { toBundlePath, toEntryBundle } from '@recordproof/shared/evidence/tlog-tiles.ts';
import { toAddCheckpointBody } from '@recordproof/shared/evidence/witness-client.ts';
import { tilesOf } from './independent-log.ts';
import { testSigner } from './note-keys.ts';

export const operatorKey = testSigner('ED25519', 'operator.example/log');

type Members = Readonly<Record<string, string | number>>;

/** Entries chosen by the operator. */
export const writeEntry = (recordedAt: string, members: Members): Uint8Array =>
  canonicalBytes({ schema: ledgerEntrySchema, recordedAt, ...members });

export const fileEntry = (number: number, recordedAt: string): Uint8Array => {
  const recordId = number.toString(16).padStart(64, '0');
  return writeEntry(recordedAt, { kind: 'FILE_RECORD', recordId, manifestHash: `sha256:${recordId}` });
};

export const batchEntry = (number: number, recordedAt: string, changes: Members = {}): Uint8Array => {
  const merkleRoot = number.toString(16).padStart(64, '0');
  return writeEntry(recordedAt, { kind: 'BATCH_ROOT', batchNo: `MB-${number}`, merkleRoot, treeSize: 1, ...changes });
};

export class OperatorLog {
  readonly entries: Uint8Array[];
  readonly signer: TypedNoteSigner;

  constructor(entries: readonly Uint8Array[] = [], signer: TypedNoteSigner = operatorKey) {
    this.entries = [...entries];
    this.signer = signer;
  }

  get key(): string {
    return toVerifierKey(this.signer);
  }

  async sign(size = this.entries.length): Promise<string> {
    const { root } = buildMerkleTree(this.entries.slice(0, size).map(entry => hashLeaf(entry)));
    return parseUtf8(await signCheckpoint({ origin: this.signer.name, size, root }, [this.signer]));
  }

  /** The request of a log to its witnesses. */
  async request(oldSize: number, size = this.entries.length): Promise<Uint8Array> {
    const rootOf = (start: number, end: number) =>
      buildMerkleTree(this.entries.slice(start, end).map(entry => hashLeaf(entry))).root;
    const proof = consistencyRanges(oldSize, size).map(({ start, end }) => rootOf(start, end));
    return toAddCheckpointBody({ oldSize, proof, checkpoint: toUtf8(await this.sign(size)) });
  }

  /** Everything that is published of it: path → content. */
  async files(): Promise<Map<string, Uint8Array>> {
    const files = new Map<string, Uint8Array>([
      ['checkpoint', toUtf8(await this.sign())],
      ['key', toUtf8(`${this.key}\n`)],
    ]);
    for (const [path, hex] of tilesOf(this.entries.map(entry => hashLeaf(entry))))
      files.set(path, new Uint8Array(Buffer.from(hex, 'hex')));
    for (let first = 0; first < this.entries.length; first += 256) {
      const bundle = this.entries.slice(first, first + 256);
      files.set(toBundlePath(first / 256, bundle.length), toEntryBundle(bundle));
    }
    return files;
  }

  async writeTo(folder: string): Promise<void> {
    for (const [path, bytes] of await this.files()) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), bytes);
    }
  }
}

export async function cosignAt(note: string, signers: readonly TypedNoteSigner[], time: string): Promise<string> {
  const { text } = parseSignedNote(toUtf8(note));
  let bytes = toUtf8(note);
  for (const signer of signers)
    bytes = addSignatureLines(bytes, await signCosignatureLine(text, signer, Date.parse(time) / 1000));
  return parseUtf8(bytes);
}

export type OperatorSite = AsyncDisposable & {
  readonly url: string;
  /** Under `/ledger/`, and complete under other addresses. */
  files: Map<string, Uint8Array>;
  readonly asked: string[];
};

/** Publishes the files, and answers queries for the root of a batch truthfully when `answers` holds it. */
export async function openOperatorSite(log: OperatorLog): Promise<OperatorSite> {
  const server = createServer((request, response) => {
    const path = (request.url ?? '').slice(1);
    site.asked.push(path);
    const body = site.files.get(path.replace(/^ledger\//, ''));
    const type = path.startsWith('api/') ? 'application/json' : 'application/octet-stream';
    response.writeHead(body === undefined ? 404 : 200, { 'content-type': type }).end(body);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const site: OperatorSite = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    files: await log.files(),
    asked: [],
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
  return site;
}
