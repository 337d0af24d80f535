// A dishonest operator who holds every key and the whole database, and controls all that is published: a customer's
// file, the evidence beside it, the answers of the server, the ledger. Honest witnesses and verifiers are part of it.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { digestOf, parseUtf8, toBase64, toUtf8 } from '@recordproof/shared/evidence/digest.ts';
import { digestProofId, entryTransactionHash } from '@recordproof/shared/evidence/ledger-entry.ts';
import { buildMerkleTree, hashLeaf } from '@recordproof/shared/evidence/merkle.ts';
import { toTypedKeyText } from '@recordproof/shared/evidence/note-keys.ts';
import { proofEntryNames } from '@recordproof/shared/evidence/proof-archive.ts';
import { buildProofEntries } from '@recordproof/shared/evidence/proof-builder.ts';
import { addSignatureLines } from '@recordproof/shared/evidence/signed-note.ts';
import { writeTlogProof } from '@recordproof/shared/evidence/tlog-proof.ts';
import { addCheckpoint, type WitnessedLog } from '@recordproof/shared/evidence/witness.ts';
import type { AuditReport } from '../../verifier/src/audit/audit-report.ts';
import { runVerifier } from './audit-runs.ts';
import { noteVerifiers, testSigner } from './note-keys.ts';
import { fileEntry, OperatorLog, type OperatorSite, openOperatorSite, writeEntry } from './operator-log.ts';
import { evidenceOf, issuerIdentity, issuerKey, ledgerKey, ledgerName, someContent } from './proofs.ts';
import { writeZip } from './zip.ts';

const noon = Date.UTC(2026, 0, 31, 12);
/** Minutes after noon of the last day of January 2026. */
export const at = (minutes: number): string => new Date(noon + minutes * 60_000).toISOString();

/** The key of the ledger that receipts name. */
export const logSigner = { ...testSigner('ED25519', ledgerName), publicKey: ledgerKey.publicKey, sign: ledgerKey.sign };

/** The key that signs proofs is in use. */
export const keyEntry = (recordedAt: string): Uint8Array =>
  writeEntry(recordedAt, {
    ...{ kind: 'SIGNING_KEY', ...issuerIdentity, state: 'IN_USE' },
    publicKeyFingerprint: issuerKey.fingerprint,
  });

/** Honest: it decides as the specification says, and keeps its state. */
export class MemoryWitness {
  readonly signer;
  #latest: WitnessedLog | undefined;

  constructor(name: string) {
    this.signer = testSigner('COSIGNATURE', `${name}.example`);
  }

  /** The status, and the line of the cosignature if there is one. */
  async ask(log: OperatorLog, time: string, size = log.entries.length): Promise<[number, string]> {
    const answer = await addCheckpoint(await log.request(Math.min(this.#latest?.size ?? 0, size), size), {
      logs: new Map([[log.signer.name, [log.signer]]]),
      signers: [this.signer],
      verifiers: noteVerifiers,
      nowSeconds: () => Date.parse(time) / 1000,
      store: {
        update: async (_, decide) => {
          const decision = decide(this.#latest);
          if (decision.kind === 'COSIGN') this.#latest = decision.next;
          return decision;
        },
      },
    });
    return answer.kind === 'REJECTED' ? [answer.status, ''] : [200, answer.lines];
  }
}

export type Deed = {
  readonly issuedAt?: string;
  readonly recordedAt?: string;
  /** The position of the batch's entry. */
  readonly batch?: Readonly<Record<string, string | number>>;
  /** The root is in no entry. */
  readonly isUnrecorded?: boolean;
};

export type Betrayal = Awaited<ReturnType<typeof openBetrayal>>;

export async function openBetrayal() {
  const folder = mkdtempSync(join(tmpdir(), 'betrayal-'));
  const path = (name: string) => join(folder, name);
  const content = someContent(3000);
  const records = Array.from({ length: 19 }, (_, i) => fileEntry(i, at(i - 60)));
  const log = new OperatorLog([keyEntry(at(-60)), ...records], logSigner);
  const site = await openOperatorSite(log);
  const witnesses = ['one', 'two', 'three'].map(name => new MemoryWitness(name));
  const policy = [
    `log ${toTypedKeyText(logSigner)}`,
    ...witnesses.map(({ signer }) => `witness ${signer.name.split('.')[0]} ${toTypedKeyText(signer)}`),
    'group people 2 one two three\nquorum people\n',
  ].join('\n');
  writeFileSync(path('policy'), policy);
  writeFileSync(path('file'), content);
  const key = { algorithm: 'EdDSA', ...issuerIdentity, publicKeyFingerprint: issuerKey.fingerprint };
  writeFileSync(path('issuer.json'), JSON.stringify({ ...key, publicKeySpki: toBase64(issuerKey.spki) }));

  const answer = (name: string, value: object) =>
    site.files.set(`api/v1/public/${name}`, toUtf8(JSON.stringify(value)));

  const keyPath = `proof-keys/${issuerIdentity.keyId}/versions/${issuerIdentity.keyVersion}`;
  const publicKey = { ...key, publicKeySpki: toBase64(issuerKey.spki) };
  answer(keyPath, { code: 200, data: { ...publicKey, usedFrom: at(-60), usedUntil: null } });

  /** Makes a proof of the file, records it, and returns everything that belongs to it: the operator's whole story. */
  async function issue({ issuedAt = at(2), recordedAt = at(0), batch = {}, isUnrecorded = false }: Deed = {}) {
    const evidence = evidenceOf({ content, chunkSize: 1000 });
    const merkleRoot = Buffer.from(evidence.merkle.root).toString('hex');
    const { treeSize } = evidence.merkle;
    const { batchNo } = evidence.receipt;
    const entry = writeEntry(recordedAt, { kind: 'BATCH_ROOT', batchNo, merkleRoot, treeSize, ...batch });
    const position = isUnrecorded ? 3 : log.entries.length;
    if (!isUnrecorded) log.entries.push(entry);
    const receipt = { ...evidence.receipt, batchTransactionHash: entryTransactionHash(entry), blockNumber: position };
    const { fingerprint: publicKeyFingerprint, sign } = issuerKey;
    const entries = await buildProofEntries(
      { ...evidence, issuedAt, receipt },
      { ...issuerIdentity, publicKeyFingerprint, sign },
    );
    writeFileSync(path('file.proof.zip'), writeZip(proofEntryNames.map(name => ({ name, data: entries[name] }))));
    const { proofId } = JSON.parse(parseUtf8(entries['manifest.json']));
    const manifestSha256 = digestOf(entries['manifest.json']);
    const provenAt = issuedAt > recordedAt ? issuedAt : recordedAt;
    const issuedEntry = writeEntry(provenAt, {
      kind: 'PROOF_ISSUED',
      proofIdSha256: digestProofId(proofId),
      manifestSha256,
    });
    if (!isUnrecorded) log.entries.push(issuedEntry);
    const status = {
      proofId,
      status: 'ACTIVE',
      statusVersion: 1,
      issuedStatus: 'ACTIVE',
      reason: null,
      ...issuerIdentity,
    };
    const statusPath = `proofs/${proofId}/status`;
    const issued = isUnrecorded ? null : log.entries.length - 1;
    const ledgerEntries = { issued, status: null, keyInUse: 0, keyRetired: null };
    const data = {
      ...status,
      ledgerEntries,
      issuedAt,
      updatedAt: issuedAt,
      manifestSha256,
      contentHash: digestOf(content),
    };
    answer(statusPath, { code: 200, data });
    const { chainType, chainId, groupId, contractAddress } = receipt.contract;
    const chain = { schemaVersion: 'service-chain-root-resolution.v1', chainType, chainId, groupId, contractAddress };
    answer(`chain-roots/${chainType}/${chainId}/${groupId}/${contractAddress}/${batchNo}`, {
      ...{ ...chain, batchNo, merkleRoot, blockNumber: position, transactionHash: receipt.batchTransactionHash },
    });
    await show();
    return {
      ...{ position, proofId, batchNo, issuedEntry },
      restate: (changes: object) => answer(statusPath, { code: 200, data: { ...data, ...changes } }),
    };
  }

  /** Publishes this history from now on; the answers stay the same. */
  async function show(shown = log, note?: string): Promise<void> {
    const answers = [...site.files].filter(([name]) => name.startsWith('api/'));
    site.files = new Map([...(await shown.files()), ...answers]);
    if (note !== undefined) site.files.set('checkpoint', toUtf8(note));
  }

  /** The note with the cosignatures of those witnesses that give one. */
  async function cosign(time: string, { by = witnesses, of = log } = {}): Promise<string> {
    let note = toUtf8(await of.sign());
    for (const witness of by) {
      const [, line] = await witness.ask(of, time);
      if (line !== '') note = addSignatureLines(note, line);
    }
    return parseUtf8(note);
  }

  /** Written beside the file: the entry at this position under this checkpoint. */
  function layProof(position: number, note: string, of = log): void {
    const tree = buildMerkleTree(of.entries.map(entry => hashLeaf(entry)));
    const extra = of.entries[position];
    if (extra === undefined) throw new Error('no such entry');
    const proof = { index: position, path: tree.pathOf(position), extra, checkpoint: toUtf8(note) };
    writeFileSync(path('file.tlog-proof'), writeTlogProof(proof));
  }

  const online = ['--allow-http', '--allow-private-addresses', '--format', 'json'];
  return {
    ...{ folder, path, log, site, witnesses, issue, show, cosign, layProof },
    server: site.url,
    async verify(): Promise<[string, string | undefined]> {
      const key = ['--trusted-key', path('issuer.json')];
      const { stdout } = await runVerifier('verify', path('file'), ...key, '--server', site.url, ...online);
      const { outcome, reason } = JSON.parse(stdout);
      return [outcome, reason];
    },
    async existence(...args: string[]): Promise<[string, string]> {
      const trust = ['--policy', path('policy'), '--format', 'json'];
      const { stdout } = await runVerifier('existence', path('file'), ...trust, ...args);
      const { outcome, reason, existedNoLaterThan } = JSON.parse(stdout);
      return [outcome, existedNoLaterThan ?? reason];
    },
    /** Uses the key of the ledger and nothing else, unless options are given. */
    async audit(...args: string[]): Promise<[number, ...string[]]> {
      const fixed = ['--key', log.key, '--wait', '0', '--evidence', folder, '--format', 'json'];
      const { code, stdout } = await runVerifier('audit', site.url, ...fixed, ...args);
      if (stdout === '') return [code];
      const report: AuditReport = JSON.parse(stdout);
      return [code, ...new Set(report.findings.map(finding => finding.code))];
    },
    keep(name: string, note: string): string {
      writeFileSync(path(name), note);
      return path(name);
    },
    async [Symbol.asyncDispose]() {
      await site[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true });
    },
  } satisfies AsyncDisposable & { site: OperatorSite } & Record<string, unknown>;
}
