// Every frozen vector through the same engine in Chromium, check by check against Node.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { isSignedBy } from '@recordproof/shared/evidence/ed25519.ts';
import { nodePlatform } from '@recordproof/verifier/node/node-platform.ts';
import type { VerificationReport } from '@recordproof/verifier/verify/report.ts';
import { verifyProof } from '@recordproof/verifier/verify/verify-proof.ts';
import { build } from 'esbuild';
import { chromium } from 'playwright-core';
import { afterAll, expect, test } from 'vitest';
import type { BrowserVector } from '../support/browser-vectors.ts';
import { cannedEvidence } from '../support/canned-evidence.ts';
import { oddSignatures } from '../support/odd-signatures.ts';
import { listVectors, type Vector } from '../support/vectors.ts';

const entry = fileURLToPath(new URL('../support/browser-vectors.ts', import.meta.url));
const bundle = await build({ entryPoints: [entry], bundle: true, format: 'iife', platform: 'browser', write: false });
const script = bundle.outputFiles[0]?.text ?? '';
const server = createServer((_, response) =>
  response.setHeader('content-type', 'text/html').end('<title>vectors</title>'),
);
await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'] });
const page = await browser.newPage();
await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
await page.addScriptTag({ content: script });
afterAll(async () => {
  await browser.close();
  server.close();
});

const verdictOf = (report: VerificationReport) => ({
  outcome: report.outcome,
  checks: report.checks.map(check => `${check.id} ${check.status} ${check.code}`),
});

function inBrowser(vector: Vector): Promise<VerificationReport> {
  const base64 = (path: string) => readFileSync(path).toString('base64');
  const given: BrowserVector = {
    archive: base64(vector.proofPath),
    original: base64(vector.originalPath),
    ...(vector.trustedKeyPath === undefined ? {} : { trustedKey: base64(vector.trustedKeyPath) }),
    ...(vector.live === undefined ? {} : { live: vector.live }),
  };
  return page.evaluate(
    vector => (globalThis as unknown as { verifyVector(v: unknown): Promise<VerificationReport> }).verifyVector(vector),
    given,
  );
}

function inNode(vector: Vector): Promise<VerificationReport> {
  const { trustedKeyPath, live } = vector;
  const request = {
    archive: readFileSync(vector.proofPath),
    original: new Blob([readFileSync(vector.originalPath)]).stream(),
    maxOriginalBytes: 1_000_000,
    ...(trustedKeyPath === undefined ? {} : { trustedKey: readFileSync(trustedKeyPath) }),
    ...(live === undefined ? {} : { live: cannedEvidence(live) }),
  };
  return verifyProof(request, nodePlatform);
}

test('Chromium and Node give the same verdict on every vector, check by check', { timeout: 60_000 }, async () => {
  const differing: string[] = [];
  for (const vector of listVectors()) {
    const [browserReport, nodeReport] = [await inBrowser(vector), await inNode(vector)];
    expect(browserReport.outcome, vector.name).toBe(vector.expected.outcome);
    if (JSON.stringify(verdictOf(browserReport)) !== JSON.stringify(verdictOf(nodeReport))) differing.push(vector.name);
  }
  expect(differing).toEqual([]);
});

test('Chromium and Node agree on every odd key and signature', async () => {
  const odd = oddSignatures();
  const node = await Promise.all(
    odd.map(item => isSignedBy(item.key, item.message, item.signature, nodePlatform.verifyEd25519)),
  );
  const plain = odd.map(({ key, message, signature }) => [key, message, signature].map(bytes => [...bytes]));
  const chromium = await page.evaluate(
    items =>
      Promise.all(
        items.map(([key = [], message = [], signature = []]) =>
          (globalThis as unknown as { isSigned(k: number[], m: number[], s: number[]): Promise<boolean> }).isSigned(
            key,
            message,
            signature,
          ),
        ),
      ),
    plain,
  );
  expect(chromium).toEqual(node);
  expect(odd.map((item, at) => (item.expected === undefined ? undefined : node[at]))).toEqual(
    odd.map(item => item.expected),
  );
});
