// Every frozen vector through the web service, check by check against the engine.
import { readFileSync } from 'node:fs';
import { nodePlatform } from '@recordproof/verifier/node/node-platform.ts';
import type { LiveEvidence } from '@recordproof/verifier/verify/live-evidence.ts';
import type { VerificationReport } from '@recordproof/verifier/verify/report.ts';
import { verifyProof } from '@recordproof/verifier/verify/verify-proof.ts';
import { expect, test } from 'vitest';
import { cannedEvidence } from '../support/canned-evidence.ts';
import { listVectors, toRequest, type Vector } from '../support/vectors.ts';
import { openTestVerifier, type Part, type TestVerifier } from '../support/verifier-service.ts';

/** What is answered differs from vector to vector; offline and online vectors have each their own service. */
let current: LiveEvidence | undefined;
const ask = (): LiveEvidence => {
  if (current === undefined) throw new Error('nobody may be asked now');
  return current;
};
const live: LiveEvidence = {
  findIssuerKey: (keyId, keyVersion) => ask().findIssuerKey(keyId, keyVersion),
  findStatus: proofId => ask().findStatus(proofId),
  findChainRoot: address => ask().findChainRoot(address),
  get readLedger() {
    return ask().readLedger;
  },
};
const settings = { VERIFIER_RATE_LIMIT_REQUESTS: '1000' };

const partsOf = (vector: Vector): Part[] => {
  const { originalPath, proofPath, trustedKeyPath } = vector;
  const parts: Part[] = [
    ['original', readFileSync(originalPath)],
    ['proof', readFileSync(proofPath)],
  ];
  return trustedKeyPath === undefined ? parts : [['trustedKey', readFileSync(trustedKeyPath)], ...parts];
};

async function throughService(vector: Vector, verifier: TestVerifier): Promise<string[]> {
  const answer = await (await verifier.post(partsOf(vector))).json();
  // A key file that cannot be used is refused before there is a report.
  if ('code' in answer) return [answer.code];
  return linesOf(answer);
}

async function throughEngine(vector: Vector): Promise<string[]> {
  const live = vector.live === undefined ? {} : { live: cannedEvidence(vector.live) };
  const report = await verifyProof({ ...toRequest(vector), ...live }, nodePlatform);
  const key = report.checks.find(check => check.id === 'signature.key');
  return key?.code === 'TRUSTED_KEY_INVALID' ? [key.code] : linesOf(report);
}

const linesOf = ({ outcome, checks }: VerificationReport): string[] => [
  outcome,
  ...checks.map(({ id, status, code }) => `${id} ${status} ${code}`),
];

test('the service returns the same verdict as the engine on every vector, check by check', {
  tags: 'long',
}, async () => {
  await using offline = await openTestVerifier({ settings });
  await using online = await openTestVerifier({ settings, live });
  const differing: string[] = [];
  for (const vector of listVectors().filter(({ isFilesAlone }) => isFilesAlone)) {
    current = vector.live === undefined ? undefined : cannedEvidence(vector.live);
    const said = await throughService(vector, vector.live === undefined ? offline : online);
    if (said.length === 1) expect(vector.expected).toMatchObject({ outcome: 'ERROR', code: said[0] });
    else expect(said[0], vector.name).toBe(vector.expected.outcome);
    if (said.join() !== (await throughEngine(vector)).join()) differing.push(vector.name);
  }
  expect(differing).toEqual([]);
});
