// Proofs of a real server, and three verifiers of them: our own, the independent Python check, unzip.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { getChainRoot } from '@recordproof/shared/api/chain.ts';
import { type ProofEntries, readProofArchive } from '@recordproof/shared/evidence/proof-archive.ts';
import type { ProofManifest, Receipt } from '@recordproof/shared/evidence/proof-entries.ts';
import { nodePlatform } from '@recordproof/verifier/node/node-platform.ts';
import { openOnlineEvidence } from '@recordproof/verifier/online/online-evidence.ts';
import type { LiveEvidence } from '@recordproof/verifier/verify/live-evidence.ts';
import type { VerificationReport } from '@recordproof/verifier/verify/report.ts';
import { verifyProof } from '@recordproof/verifier/verify/verify-proof.ts';
import type { Person, TestApp } from './app.ts';

/** A server that makes proofs as soon as it can. */
export const laptop = { RECORDPROOF_PROFILE: 'laptop' } as const;

export async function fetchProof(person: Person, fileId: string): Promise<Response> {
  return person.fetch(`/api/v1/files/${fileId}/proof-bundle.zip`);
}

export async function exportProof(person: Person, fileId: string): Promise<Buffer> {
  const response = await fetchProof(person, fileId);
  if (response.status !== 200) throw new Error(`no proof: ${response.status} ${await response.text()}`);
  return Buffer.from(await response.arrayBuffer());
}

const parse = <T>(bytes: Uint8Array): T => JSON.parse(Buffer.from(bytes).toString('utf8')) as T;

export type OpenedProof = {
  readonly entries: ProofEntries;
  readonly manifest: ProofManifest;
  readonly receipt: Receipt;
};

export function openProof(archive: Uint8Array): OpenedProof {
  const entries = readProofArchive(archive);
  return {
    entries,
    manifest: parse(entries['manifest.json']),
    receipt: parse(entries['blockchain-receipt.json']),
  };
}

/** Issuer and gateway with default settings, but for plain HTTP and an address of this machine. */
export const liveEvidenceOf = (url: string): LiveEvidence =>
  openOnlineEvidence({
    issuerBaseUrl: url,
    chainUrlTemplate: `${url}${getChainRoot.path}`,
    ledgerUrl: `${url}/ledger`,
    allowedHosts: [new URL(url).host],
    allowHttp: true,
    allowPrivateAddresses: true,
  });

export type Judged = {
  readonly app: Pick<TestApp, 'app'>;
  readonly archive: Uint8Array;
  readonly original: Uint8Array;
  /** The server's key is the trusted one, as for a user who saved it before. */
  readonly isKeyTrusted?: boolean;
};

/** The online verdict of the verifier. */
export async function verifyOnline({ app, archive, original, isKeyTrusted }: Judged): Promise<VerificationReport> {
  const live = liveEvidenceOf(app.app.url);
  const key = isKeyTrusted === true ? { trustedKey: Buffer.from(await fetchTrustedKey(app.app.url, archive)) } : {};
  const request = { archive, original: blocksOf(original), maxOriginalBytes: 2 ** 32, live, ...key };
  return verifyProof(request, nodePlatform);
}

async function* blocksOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536);
}

export async function fetchTrustedKey(url: string, archive: Uint8Array): Promise<string> {
  const { keyId, keyVersion } = openProof(archive).manifest.signature;
  const response = await fetch(`${url}/api/v1/public/proof-keys/${keyId}/versions/${keyVersion}`);
  return JSON.stringify(((await response.json()) as { data: unknown }).data);
}

const script = fileURLToPath(new URL('../vectors/check_proof.py', import.meta.url));

/** The independent check in Python: throws with its message when it disagrees. */
export function checkInPython(original: Uint8Array, archive: Uint8Array, trustedKey: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'recordproof-python-'));
  try {
    const paths = ['original', 'proof.zip', 'key.json'].map(name => join(folder, name));
    for (const [index, content] of [original, archive, trustedKey].entries())
      writeFileSync(paths[index] as string, content);
    return execFileSync('python3', [script, ...paths], { encoding: 'utf8', stdio: 'pipe' });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
