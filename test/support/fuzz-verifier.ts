// Mutation test of the verifier: runs it over mutated proofs, with a trusted key and with an issuer and a chain that
// confirm everything: a VALID mutant is a hole in our own checks.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { nodePlatform } from '@recordproof/verifier/node/node-platform.ts';
import { checkIds } from '@recordproof/verifier/verify/check-codes.ts';
import { type LiveEvidence, parseRootAnswer, parseStatusAnswer } from '@recordproof/verifier/verify/live-evidence.ts';
import type { Outcome, VerificationReport } from '@recordproof/verifier/verify/report.ts';
import { verifyProof } from '@recordproof/verifier/verify/verify-proof.ts';
import { mutateBytes, mutateEntry, randomFrom } from './mutations.ts';
import type { Vector } from './vectors.ts';

const folder = fileURLToPath(new URL('../vectors/', import.meta.url));
const read = (path: string) => new Uint8Array(readFileSync(folder + path));
const original = read('common/plain.bin');
const trustedKey = read('common/issuer.json');
const seedNames = ['live-plain_ok', 'live-encrypted_ok', 'live-single_ok'];
const seeds = seedNames.map(name => {
  const { live } = JSON.parse(readFileSync(`${folder}${name}/case.json`, 'utf8'));
  const status = parseStatusAnswer(Buffer.from(live.proofStatus.body));
  const root = parseRootAnswer(Buffer.from(live.chain.body));
  const agreeable: LiveEvidence = {
    findIssuerKey: () => Promise.reject(new Error('a trusted key was given')),
    findStatus: async () => ({ kind: 'found', value: status }),
    findChainRoot: async () => ({ kind: 'found', value: root }),
  };
  return { archive: read(`${name}/proof.zip`), live: agreeable };
});

export type FuzzResult = {
  outcomes: Record<Outcome, number>;
  slowestMillis: number;
  /** The numbers of failed runs; pass one as `from` with a count of 1 to repeat it. */
  wrong: { run: number; why: string }[];
};

async function* inOneBlock(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

async function verify(archive: Uint8Array, live: LiveEvidence): Promise<VerificationReport> {
  const request = { archive, original: inOneBlock(original), trustedKey, live, maxOriginalBytes: 1_000_000 };
  return await verifyProof(request, nodePlatform);
}

export async function fuzzVerifier(from: number, count: number): Promise<FuzzResult> {
  const result: FuzzResult = {
    outcomes: { VALID: 0, INVALID: 0, INDETERMINATE: 0, ERROR: 0 },
    slowestMillis: 0,
    wrong: [],
  };
  for (let run = from; run < from + count; run++) {
    const seed = seeds[run % seeds.length];
    if (seed === undefined) throw new Error('no seed');
    const archive = mutateProof(seed.archive, run);
    const started = performance.now();
    const report = await verify(archive, seed.live).catch(() => undefined);
    result.slowestMillis = Math.max(result.slowestMillis, performance.now() - started);
    // Some changes cancel each other out.
    const isUnchanged = Buffer.from(archive).equals(seed.archive);
    const why = problemOf(report, isUnchanged);
    if (why !== undefined) result.wrong.push({ run, why });
    if (report !== undefined && !isUnchanged) result.outcomes[report.outcome]++;
  }
  return result;
}

/** The same run gives the same mutant. */
function mutateProof(archive: Uint8Array, run: number): Uint8Array {
  const random = randomFrom(run);
  const mutate = random(3) === 0 ? mutateBytes : mutateEntry;
  return mutate(archive, random);
}

/** A mutant of an honest vector, with all other inputs unchanged. */
export function mutateVector(vectors: readonly Vector[], run: number): { vector: Vector; archive: Uint8Array } {
  const seed = seedNames[run % seedNames.length];
  const vector = vectors.find(({ name }) => name === seed);
  if (vector === undefined) throw new Error('no seed');
  return { vector, archive: mutateProof(read(`${vector.name}/proof.zip`), run) };
}

function problemOf(report: VerificationReport | undefined, isUnchanged: boolean): string | undefined {
  if (report === undefined) return 'the engine rejected';
  if (report.checks.length !== checkIds.length) return 'a check is missing from the report';
  if (report.checks.some(check => check.code === 'CHECK_FAILED')) return 'a check threw';
  if (isUnchanged) return report.outcome === 'VALID' ? undefined : 'the honest proof is not VALID';
  return report.outcome === 'VALID' || report.outcome === 'INDETERMINATE'
    ? `a changed proof is ${report.outcome}`
    : undefined;
}
